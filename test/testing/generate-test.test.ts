import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { type PlayFile, playAsTest } from 'switchhook/testing'
import { compile } from '../support/compile.ts'
import { ASHA } from '../support/people.ts'
import { runAsTest } from '../support/run-as-test.ts'

const root = resolve(import.meta.dirname, '../..')

const CONVERSATION: PlayFile = {
  switchhook: 1,
  name: "a customer's first day at the desk",
  steps: [
    { customer: ASHA, says: 'habari', expect: [{ text: 'Tukusaidie nini?' }] },
    {
      customer: ASHA,
      taps: 'lang:en',
      expect: [{ text: 'How can we help?', options: ['Opening hours', 'Talk to a person', 'Kiswahili'] }],
    },
    { advance: '25h', expect: [] },
    { customer: '255712000102', says: 'mtu', expect: [{ to: '255712000102' }] },
    { customer: ASHA, sends: { kind: 'image', url: 'https://media.example/1.jpg', caption: "it's torn" } },
  ],
}

const DESK = `export { bot } from '${root}/examples/support-desk/bot.ts'\n`

it('writes a conversation as a person would write the test', () => {
  expect(playAsTest(CONVERSATION)).toBe(`import { expect, it } from 'vitest'
import { scenario, type TurnMatchers, turnMatchers } from 'switchhook/testing'
import { bot } from '../src/bot.ts'

declare module 'vitest' {
  interface Matchers<R, T> extends TurnMatchers<R> {}
}
expect.extend(turnMatchers)

it('a customer\\'s first day at the desk', async () => {
  await using s = await scenario(bot)
  const customer1 = s.customer('255712000101')
  const customer2 = s.customer('255712000102')

  expect(await customer1.says('habari')).toHaveSent([{ text: 'Tukusaidie nini?' }])
  expect(await customer1.taps('lang:en')).toHaveSent([
    { text: 'How can we help?', options: ['Opening hours', 'Talk to a person', 'Kiswahili'] },
  ])
  expect(await s.advance('25h')).toHaveSent([])
  expect(await customer2.says('mtu')).toHaveSent([{ to: '255712000102' }])
  await customer1.sends('image', { url: 'https://media.example/1.jpg', caption: 'it\\'s torn' })
})
`)
})

it('the test runs as it stands and passes, and fails with the difference if the bot says something else', () => {
  const [first, ...rest] = CONVERSATION.steps
  const other = {
    ...CONVERSATION,
    steps: [{ ...first, expect: [{ text: 'Karibu' }] } as typeof first & object, ...rest],
  }
  const { said, status } = runAsTest([playAsTest(CONVERSATION), playAsTest(other)], DESK)
  expect(said).toMatch(/Tests +1 failed \| 1 passed/)
  expect(said).toContain('FAIL  test/recorded-1.test.ts')
  expect(said).toContain('- expected "Karibu"')
  expect(said).toContain('+ came     interactive "Tukusaidie nini?"')
  expect(status).toBe(1)
})

it('the test of any conversation compiles and holds the same texts', async () => {
  const hostile = "'; process.exit() //${1}\u2028\n\\"
  const file: PlayFile = {
    switchhook: 1,
    name: hostile,
    templates: [
      { name: 'ready', language: 'sw', body: hostile },
      { name: 'login', language: 'sw', category: 'AUTHENTICATION' },
    ],
    steps: [
      { customer: ASHA, number: hostile, says: hostile },
      { customer: ASHA, taps: hostile, expect: [{ text: hostile, options: [hostile], refused: hostile }] },
      { event: 'order.paid', payload: { 'a-b': [null, 1.5, true, { deep: hostile }], [hostile]: [] }, number: '1' },
      { customer: ASHA, sends: { kind: 'audio', url: 'https://a.example', durationMs: 5 } },
      { customer: ASHA, writes: [{ says: 'a' }, { sends: { kind: 'image', url: 'https://a.example' } }], expect: [{}] },
    ],
  }
  const written = playAsTest(file)
  // Evaluated by a module, as a test would be.
  const literals = [...written.matchAll(/'(?:[^'\\\n]|\\.)*'/g)].map(([literal]) => literal)
  const module = `data:text/javascript,${encodeURIComponent(`export default [${literals.join(',')}]`)}`
  const strings = ((await import(/* @vite-ignore */ module)) as { default: string[] }).default
  expect(strings.filter((one) => one === hostile)).toHaveLength(10)
  const bot = "import { createBot } from 'switchhook'\nexport const bot = createBot()\n"
  expect(compile({ 'recorded.test.ts': written.replace('../src/bot.ts', './bot.ts'), 'bot.ts': bot })).toBe('')
})

it('what is written in a row is one turn of the test', () => {
  const photo = (caption: string) => ({ sends: { kind: 'image', url: 'https://a.example', caption } }) as const
  const steps: PlayFile['steps'] = [
    { customer: ASHA, writes: [{ says: 'a' }, { says: 'b' }], expect: [] },
    { customer: ASHA, writes: [photo('front'), photo('back')] },
    { customer: ASHA, writes: [{ says: 'It is torn' }, photo('front')], expect: [{ text: 'Thank you' }] },
  ]
  const [, written] = playAsTest({ switchhook: 1, name: 'hi', steps }).split("s.customer('255712000101')\n\n")
  expect(written).toBe(`  expect(await customer.says('a', 'b')).toHaveSent([])
  await customer.sends(
    'image',
    { url: 'https://a.example', caption: 'front' },
    { url: 'https://a.example', caption: 'back' },
  )
  expect((await Promise.all([
    customer.says('It is torn'),
    customer.sends('image', { url: 'https://a.example', caption: 'front' }),
  ]))[0]).toHaveSent([{ text: 'Thank you' }])
})
`)
})

it('a conversation that expects nothing needs no matchers', () => {
  const written = playAsTest({ switchhook: 1, name: 'hi', steps: [{ customer: ASHA, says: 'hi' }] })
  expect(written).toBe(`import { it } from 'vitest'
import { scenario } from 'switchhook/testing'
import { bot } from '../src/bot.ts'

it('hi', async () => {
  await using s = await scenario(bot)
  const customer = s.customer('255712000101')

  await customer.says('hi')
})
`)
})

it('runs in a browser, as comparing and describing do: the files import nothing of Node and no package', () => {
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const imports = [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )[^'"\n]*from '([^']+)'/gm)]
    for (const [, name = ''] of imports) {
      expect(name, file).toMatch(/^\.\//)
      visit(join(dirname(file), name))
    }
  }
  for (const name of ['generate-test', 'compare', 'file']) visit(join(root, `src/testing/play/${name}.ts`))
  expect(seen.size).toBe(3)
})
