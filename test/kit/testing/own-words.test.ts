import { describe, expect, it } from 'vitest'
import { buttons, createBot } from '../../../src/bot/switchhook.ts'
import { scenario } from '../../../src/kit/testing/testing.ts'
import { writeFixtures } from '../../support/fixtures.ts'
import { temporaryFolder } from '../../support/folder.ts'

const ASHA = '255712000101'
const facts = {
  'message.received': {
    customer: 'mteja',
    messageId: 'namba',
    kind: 'aina',
    text: 'maneno',
    'media.url': 'picha.anwani',
    'media.mime': 'picha.aina',
    'tapped.id': 'jibu',
  },
  'message.status': { customer: 'mteja', messageId: 'namba', status: 'hali' },
}
const paths = (...names: string[]) =>
  Object.fromEntries(Object.entries(facts['message.received']).filter(([name]) => names.includes(name)))
const fixture = (payload: object, ...names: string[]) => ({
  event: 'message.received',
  facts: paths('customer', 'messageId', 'kind', ...names),
  payload: { mteja: ASHA, namba: 'z-1', ...payload },
})
const texts = fixture({ aina: 'chat', maneno: 'a' }, 'text')
const photos = fixture({ aina: 'PHOTO', picha: { anwani: 'https://media.test/1' } }, 'media.url')
const folder = (...fixtures: object[]) => writeFixtures(temporaryFolder(), fixtures)

describe('a bot with the service’s own words', () => {
  const options = {
    facts,
    kinds: { photo: 'image', picked: 'interactive' },
    statuses: { reached: 'delivered' },
  } as const

  it('is tested with them, in made-up payloads and in fixtures [R EVT-09]', async () => {
    for (const payloads of [undefined, folder(texts, photos)]) {
      const bot = createBot(options)
      const seen: unknown[] = []
      bot.received('image', (ctx) => {
        seen.push((ctx.event.json as { aina: string }).aina)
        return ctx.reply('a picture')
      })
      bot.otherwise((ctx) => ctx.reply(ctx.message.kind))
      bot.on('message.status', (ctx) => {
        if ((ctx.event.json as { hali?: string }).hali === 'reached') seen.push(ctx.status)
      })
      await using s = await scenario(bot, { ...(payloads && { payloads }) })
      const asha = s.customer(ASHA)
      expect((await asha.sends('image', { url: 'https://media.test/2' })).text).toBe('a picture')
      expect((await asha.says('hi')).text).toBe('text')
      expect(seen[0]).toBe(payloads ? 'PHOTO' : 'photo')
      expect(seen).toContain('delivered')
    }
  })
})

describe('a scenario with fixtures', () => {
  const bot = () => {
    const one = createBot({ facts, kinds: { photo: 'image' } })
    one.otherwise((ctx) => ctx.reply(buttons('What?', [{ id: 'a', title: 'A' }])))
    one.received('image', (ctx) => ctx.reply('a picture'))
    one.tapped('a', (ctx) => ctx.reply('A it is'))
    return one
  }

  it('fails a turn for which no fixture has a place, with the name of what is missing [R EVT-09]', async () => {
    await using s = await scenario(bot(), { payloads: folder(texts) })
    const asha = s.customer(ASHA)
    await asha.says('hi')
    const picture = { url: 'https://media.test/2' }
    await expect(asha.sends('image', picture)).rejects.toThrow(
      /no fixture has a place for media\.url of a message of the kind image/,
    )
    await expect(asha.taps('A')).rejects.toThrow(
      /no fixture has a place for tapped\.id of a message of the kind interactive.*madeUp: true/,
    )
    expect((await asha.says('hi')).text).toBe('What?')
  })

  it('allows made-up payloads with madeUp [R EVT-09]', async () => {
    await using s = await scenario(bot(), { payloads: folder(texts), madeUp: true })
    const asha = s.customer(ASHA)
    await asha.says('hi')
    expect((await asha.taps('A')).text).toBe('A it is')
  })

  it('finds what functions of the app return again in a fixture [R EVT-09]', async () => {
    type Body = { aina?: string; maneno?: string; picha?: { anwani: string }; mteja: string }
    const found = createBot({
      facts: {
        'message.received': {
          customer: (json: Body) => json.mteja.replace('+', ''),
          kind: (json: Body) => (json.picha ? 'image' : 'text'),
          text: (json: Body) => json.maneno,
          media: (json: Body) => json.picha && { url: json.picha.anwani },
        },
      },
    })
    found.received('image', (ctx) => ctx.reply(ctx.message.media?.url ?? ''))
    found.otherwise((ctx) => ctx.reply(`${ctx.message.text} of ${ctx.customer}`))
    const bare = [texts, photos].map(({ event, payload }) => ({
      event,
      facts: { messageId: 'namba' },
      payload: { ...payload, mteja: `+${ASHA}` },
    }))
    await using s = await scenario(found, { payloads: folder(...bare) })
    const juma = s.customer('255712000102')
    expect((await juma.says('hi')).text).toBe('hi of 255712000102')
    expect((await juma.sends('image', { url: 'https://media.test/2' })).text).toBe('https://media.test/2')
  })
})
