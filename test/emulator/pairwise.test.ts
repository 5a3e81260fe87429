import { describe, expect, it } from 'vitest'
import { buttons, createBot, list, template } from 'switchhook'
import { type Scenario, scenario } from 'switchhook/testing'
import { type Assumptions, createEmulator } from '../../src/emulator/emulator.ts'
import { CUSTOMER as ASHA, control } from './support/api.ts'
import { type Combination, type Factors, pairwise } from './support/pairwise.ts'

const MINUTE = 60_000

/** Every switch with the values that it is tried at; of those that take any number a few that differ in kind. */
const SWITCHED: { readonly [Name in keyof Assumptions]: readonly Assumptions[Name][] } = {
  validation: ['flat', 'detail'],
  keysRememberedFor: ['24h', 'until_settled', 'literal'],
  statusCase: ['mixed', 'upper', 'lower'],
  unknownTemplateState: ['refuse', 'send'],
  description: ['open', 'token'],
  contentType: ['required', 'ignored'],
  emptyHeaders: ['absent', 'refuse'],
  redirects: ['failed', 'taken'],
  privateMedia: ['refuse', 'accept'],
  upstreamMs: [0, 900],
  statusAfterMs: [
    { sent: 20, delivered: 60 },
    { sent: 5_000, delivered: 0 },
  ],
  payloadShape: ['rotate', 0, 1, 2],
  declaredEvents: ['published', 'unpublished'],
  localEndpoints: ['allow', 'refuse'],
  retriesSigned: ['each_time', 'as_first'],
  attemptTimeoutMs: [10_000, 1_000],
  retryAfterMs: [[1_000, 5_000, 30_000], [0], [10 * MINUTE]],
  retryForMs: [24 * 60 * MINUTE, 0],
  attemptsAtOnce: [32, 1],
}

const COMBINATIONS = pairwise(SWITCHED)

const READY = { name: 'order_ready', language: 'sw', body: 'Oda {{1}} iko tayari' }
const ready = (order: string) => template('order_ready', 'sw', { body: [order] })

/** At `pay` the process dies once, behind its reply. */
function shopBot(o: { onUnknown?: 'hold'; die?: () => Promise<void> } = {}) {
  const bot = createBot(o.onUnknown && { onUnknown: o.onUnknown })
  bot.hears('menu', (ctx) => ctx.reply(buttons('Which?', [{ id: 'track', title: 'Track order' }])))
  bot.hears('shoes', (ctx) =>
    ctx.reply(list('Which?', { Shoes: [{ id: 'sandals', title: 'Sandals' }] }, { button: 'Shoes' })),
  )
  bot.tapped('track', (ctx) => ctx.reply('On its way'))
  bot.tapped('sandals', (ctx) => ctx.reply('Size 40'))
  bot.hears('ready?', (ctx) => ctx.reply('Order 7 is ready', { outsideWindow: ready('7') }))
  bot.hears('pay', async (ctx) => {
    await ctx.reply('paid')
    if (ctx.attempt === 1) await o.die?.()
  })
  bot.otherwise((ctx) => ctx.reply('Karibu'))
  return bot
}

/** What a journey asks of the scenario that it plays in. */
type Journey = (assumptions: Partial<Assumptions>) => Promise<void>

const open = (bot: ReturnType<typeof shopBot>, assumptions: Partial<Assumptions>): Promise<Scenario> =>
  scenario(bot, { assumptions, templates: [READY] })

/** What is on the phone from the business, the refused sends left out. */
const texts = (s: Scenario) =>
  s
    .customer(ASHA)
    .thread.filter(({ from, refused }) => from === 'app' && !refused)
    .map(({ text }) => text)

const JOURNEYS: Record<string, Journey> = {
  async 'a customer writes, the reply arrives, and its status arrives once [B SEND-24]'(assumptions) {
    const bot = shopBot()
    const delivered: unknown[] = []
    bot.on('message.status:delivered', (ctx) => void delivered.push(ctx.sent?.ref))
    await using s = await open(bot, assumptions)
    expect((await s.customer(ASHA).says('habari')).text).toBe('Karibu')
    await bot.to(ASHA).send('Order 7 is packed', { key: 'packed', ref: '7' })
    await s.advance('1m')
    expect(texts(s)).toEqual(['Karibu', 'Order 7 is packed'])
    expect(s.customer(ASHA).last?.status?.toLowerCase()).toBe('delivered')
    expect(delivered).toEqual([undefined, '7'])
  },

  async 'a tap on a button and on a row is answered [B EVT-03]'(assumptions) {
    await using s = await open(shopBot(), assumptions)
    const asha = s.customer(ASHA)
    await asha.says('menu')
    expect((await asha.taps('Track order')).text).toBe('On its way')
    await asha.says('shoes')
    expect((await asha.taps('Sandals')).text).toBe('Size 40')
  },

  async 'the window closes, at 24 hours and after it, and the template goes out [B E GEN-04 GEN-05]'(assumptions) {
    const bot = shopBot()
    await using s = await open(bot, assumptions)
    await s.customer(ASHA).says('habari')
    await s.advance('24h')
    const send = (id: string) =>
      bot.to(ASHA).send(`Order ${id} is ready`, { key: ['ready', id], outsideWindow: ready(id) })
    expect((await send('7')).via).toBe('template')
    await s.advance('1h')
    expect((await send('8')).via).toBe('template')
    expect(texts(s)).toEqual(['Karibu', 'Oda 7 iko tayari', 'Oda 8 iko tayari'])
    expect((await s.customer(ASHA).says('asante')).text).toBe('Karibu')
  },

  async 'a window that is closed against expectation is a 409, and the template goes out once [B ERR-06]'(assumptions) {
    await using s = await open(shopBot(), assumptions)
    s.faults.next(409)
    expect((await s.customer(ASHA).says('ready?')).text).toBe('Oda 7 iko tayari')
    await s.advance('1h')
    expect(s.customer(ASHA).thread.flatMap(({ refused }) => refused?.code ?? [])).toEqual(['outside_messaging_window'])
    expect(texts(s)).toEqual(['Oda 7 iko tayari'])
  },

  async 'a process that dies behind its reply has replied once [B IDEM-01]'(assumptions) {
    let s: Scenario | undefined
    const bot = shopBot({ die: async () => s?.crash() })
    await using opened = await open(bot, assumptions)
    s = opened
    await s.customer(ASHA).says('pay')
    await s.advance('1h')
    expect(texts(s)).toEqual(['paid'])
  },

  async 'a lost answer doubles the message at most where keys are forgotten, and then it is marked [B E IDEM-06 IDEM-07]'(
    assumptions,
  ) {
    // By the literal reading too, since neither message is a one-time code.
    const forgets = assumptions.keysRememberedFor !== '24h'
    const arrived = (text: string) => Array<string>(forgets ? 2 : 1).fill(text)
    const bot = shopBot()
    await using s = await open(bot, assumptions)
    s.faults.loseNextAnswer()
    await s.customer(ASHA).says('habari')
    expect(texts(s)).toEqual(arrived('Karibu'))
    s.faults.loseNextAnswer()
    const sent = bot.to(ASHA).send('Order 7 is ready', { key: 'ready' })
    await s.advance('11m')
    expect(await sent).toMatchObject({ send: { state: 'accepted', possiblyTwice: forgets } })
    expect(texts(s)).toEqual([...arrived('Karibu'), ...arrived('Order 7 is ready')])
  },

  async 'a lost answer doubles nothing where an unknown outcome is held [B E IDEM-06]'(assumptions) {
    const bot = shopBot({ onUnknown: 'hold' })
    await using s = await open(bot, assumptions)
    await s.customer(ASHA).says('habari')
    s.faults.loseNextAnswer()
    const sent = bot.to(ASHA).send('Order 7 is ready', { key: 'ready' })
    await s.advance('11m')
    expect(await sent).toMatchObject({ send: { state: 'unknown' } })
    expect(texts(s)).toEqual(['Karibu', 'Order 7 is ready'])
  },
}

describe('the assumptions', () => {
  it('are all switched here, and every value of one is combined with every value of every other', async () => {
    await using emulator = await createEmulator()
    const { json } = await control(emulator, 'GET', 'assumptions')
    expect(Object.keys(SWITCHED).sort()).toEqual(Object.keys(json).sort())
    expect(neverMet(SWITCHED, COMBINATIONS)).toEqual([])
    expect(COMBINATIONS.length).toBeLessThan(40)
  })

  it.each(Object.entries(JOURNEYS))('%s', async (_, journey) => {
    for (const combination of COMBINATIONS)
      try {
        await journey(combination)
      } catch (error) {
        throw new Error(`under ${JSON.stringify(combination)}: ${String(error)}`, { cause: error })
      }
  })
})

/** Told from the combinations alone, by another way than they were made. */
function neverMet(factors: Factors, combinations: readonly Combination[]): string[] {
  const values = Object.entries(factors).flatMap(([name, all]) => all.map((value) => [name, value] as const))
  return values.flatMap(([one, value], index) =>
    values
      .slice(index + 1)
      .filter(
        ([other, otherValue]) =>
          one !== other && !combinations.some((it) => it[one] === value && it[other] === otherValue),
      )
      .map(([other, otherValue]) => `${one}=${JSON.stringify(value)} with ${other}=${JSON.stringify(otherValue)}`),
  )
}
