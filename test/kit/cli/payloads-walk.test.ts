import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Bot, type BotOptions, buttons, createBot, type Sender } from 'switchhook'
import { scenario } from 'switchhook/testing'
import { writeFixtures } from '../../support/fixtures.ts'
import { ASHA, openWorld } from '../../support/world.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { switchhook } from './support.ts'

/** Payloads of a service whose field names are all unfamiliar. */
const received = (facts: object, content: object) => ({
  event: 'message.received',
  facts: { customer: 'mteja.simu', messageId: 'ujumbe.namba', kind: 'ujumbe.aina', at: 'ujumbe.muda', ...facts },
  payload: {
    mteja: { simu: '255712000301', lugha: 'sw' },
    ujumbe: { namba: 'm-1', ...content, muda: '2026-03-04T09:15:21Z' },
  },
})
const SERVICE = [
  received({ text: 'ujumbe.maneno' }, { aina: 'text', maneno: 'Habari' }),
  received(
    { 'tapped.id': 'ujumbe.jibu.alama', 'tapped.title': 'ujumbe.jibu.jina' },
    { aina: 'interactive', jibu: { alama: 'a', jina: 'A' } },
  ),
  {
    event: 'message.status',
    facts: { messageId: 'namba', customer: 'mpokeaji', status: 'hali', at: 'muda' },
    payload: { namba: 'm-2', mpokeaji: '255712000301', hali: 'sent', muda: '2026-03-04T09:15:21Z' },
  },
]

/** What the report of these payloads leaves to be completed. */
const MAPPED: BotOptions = {
  replies: 'mapped',
  facts: {
    'message.received': Object.assign({}, ...SERVICE.slice(0, 2).map(({ facts }) => facts)),
    'message.status': { customer: 'mpokeaji', messageId: 'namba', status: 'hali', at: 'muda' },
  },
}

function withRoutes<B extends Bot & Sender>(bot: B): B {
  bot.hears('hours', (ctx) => ctx.reply('9 to 17'))
  bot.tapped('track', (ctx) => ctx.reply('On its way'))
  bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))
  return bot
}

it('the way of docs/payloads.md leads from the first parked delivery to a mapped bot, tested with fixtures [R EVT-02, EVT-05, EVT-08, EVT-09]', async () => {
  const folder = temporaryFolder()
  const options: BotOptions = {}
  const payloads = writeFixtures(join(folder, 'service'), SERVICE)
  await using world = await openWorld(withRoutes, {
    options,
    emulator: { payloads, assumptions: { declaredEvents: 'unpublished', statusAfterMs: { sent: 0, delivered: 0 } } },
  })
  const run = (...args: string[]) => switchhook([...args, '--database', world.database], {}, folder)
  const parked = async () => (await world.counts()).items['parked'] ?? 0
  const customer = world.emulator.customer(ASHA)
  await customer.says('hours')
  await customer.says('hello')
  await world.until(async () => (await parked()) === 2)
  const { stdout: report } = await run('payload', 'report')
  for (const line of [/^mteja\.simu +string +-$/m, /^ujumbe\.muda +string +-$/m, /^ {6}customer: '', \/\/ not found/m])
    expect(report).toMatch(line)
  expect(report).toMatch(/switchhook inbox retry --database \S+ --parked/)
  expect(report).not.toContain('hours')
  expect((await run('inbox', 'show', '1', '--reveal')).stdout).toContain('hours')

  Object.assign(options, MAPPED)
  await world.restart(withRoutes)
  expect((await run('inbox', 'retry', '--parked')).code).toBe(0)
  await expect.poll(() => world.replies()).toEqual(['9 to 17', 'How can we help?'])
  await customer.taps('track')
  await expect.poll(() => world.replies()).toContain('On its way')
  expect(await parked()).toBe(0)

  expect((await run('payload', 'export', '--out', 'fixtures')).code).toBe(0)
  await using s = await scenario(withRoutes(createBot(MAPPED) as Bot & Sender), { payloads: join(folder, 'fixtures') })
  const asha = s.customer(ASHA)
  expect((await asha.says('hours')).text).toBe('9 to 17')
  await asha.says('hello')
  expect((await asha.taps('Track order')).text).toBe('On its way')
})
