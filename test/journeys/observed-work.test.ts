import { describe, expect, it } from 'vitest'
import { type Hooks, type Observed, template } from '../../src/index.ts'
import { ASHA, openWorld } from '../support/world.ts'

/** Everything that a bot's hooks hear, by hook. */
function hearing() {
  const heard: [keyof Hooks, Observed][] = []
  const hooks = Object.fromEntries(
    HOOKS.map((hook) => [hook, (observed: Observed) => void heard.push([hook, observed])]),
  ) as Hooks
  const of = (hook: keyof Hooks) => heard.filter(([name]) => name === hook).map(([, observed]) => observed)
  return { hooks, of }
}

const HOOKS: readonly (keyof Hooks)[] = [
  'accepted',
  'refused',
  'handled',
  'failed',
  'send_accepted',
  'send_retried',
  'send_skipped',
  'send_refused',
  'send_held',
  'fell_back',
  'committed',
]

/** A clock that moves only where a test says that something took time. */
function ownClock() {
  let now = Date.now()
  return { clock: () => new Date(now), takes: (ms: number) => void (now += ms) }
}

describe('what hooks hear of an attempt', () => {
  it('is its route, its number, its delivery, how long it waited and how long it took', async () => {
    const { hooks, of } = hearing()
    const { clock, takes } = ownClock()
    const slow: typeof fetch = async (...request) => {
      takes(250)
      return fetch(...request)
    }
    await using world = await openWorld(
      (bot) => {
        bot.observe(hooks)
        bot.hears('hi', async (ctx) => {
          if (ctx.attempt > 1) return void (await ctx.reply('hello'))
          takes(1_500)
          throw new Error('once')
        })
      },
      { options: { clock, fetch: slow } },
    )
    const { deliveryIds } = await world.emulator.customer(ASHA).says('hi')
    await world.until(() => of('handled').length === 1 && of('send_accepted').length === 1)
    const about = { deliveryId: deliveryIds[0], event: 'message.received', number: 'default', route: 'hears:hi' }
    expect(of('accepted')[0]).toEqual({ deliveryId: deliveryIds[0], event: 'message.received', durationMs: 0 })
    expect(of('failed')).toMatchObject([{ ...about, attempt: 1, waitedMs: 0, durationMs: 1_500 }])
    expect(of('handled')).toMatchObject([{ ...about, attempt: 2, waitedMs: 1_500, durationMs: 250 }])
    expect(of('send_accepted')).toMatchObject([{ deliveryId: deliveryIds[0], attempt: 1, durationMs: 250 }])
    expect(world.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        about: expect.objectContaining({ route: 'hears:hi', attempt: 1, waitedMs: 0, durationMs: 1_500 }) as unknown,
      }),
    )
  })

  it('is the first route that took the message, if it goes on to the next', async () => {
    const { hooks, of } = hearing()
    await using world = await openWorld((bot) => {
      bot.observe(hooks)
      bot.hears('hi', (_ctx, next) => next())
      bot.otherwise(() => {})
    })
    await world.emulator.customer(ASHA).says('hi')
    await world.emulator.customer(ASHA).says('other')
    await world.until(() => of('handled').length === 2)
    expect(of('handled').map(({ route }) => route)).toEqual(['hears:hi', 'otherwise'])
  })
})

describe('what hooks hear of a send', () => {
  it('is its state as it is after the event, each time [R SEND-20, R ERR-06]', async () => {
    const { hooks, of } = hearing()
    await using world = await openWorld((bot) => {
      bot.observe(hooks)
      bot.otherwise(() => {})
    })
    const to = world.bot.to(ASHA)
    await world.emulator.customer(ASHA).says('hi')
    await world.emulator.faults.set([{ on: 'send', do: 'status', status: 500, next: 1 }])
    await to.send('hello', { key: 'one' })
    expect(of('send_retried')).toMatchObject([{ attempt: 1, send: { state: 'attempting', messageId: undefined } }])
    await world.until(() => of('send_accepted').length === 1)
    expect(of('send_accepted')).toMatchObject([
      { attempt: 2, via: 'freeform', send: { state: 'accepted', messageId: expect.any(String) } },
    ])
  })

  it('is the template, ready to go out, once the free-form text was refused by the window [R ERR-06]', async () => {
    const { hooks, of } = hearing()
    await using world = await openWorld((bot) => {
      bot.observe(hooks)
      bot.otherwise(() => {})
    })
    await world.emulator.templates.add({
      name: 'order_ready',
      language: 'en',
      category: 'UTILITY',
      body: 'Your order {{1}} is ready.',
    })
    await world.bot
      .to(ASHA)
      .send('hello', { key: 'one', outsideWindow: template('order_ready', 'en', { body: ['7781'] }) })
    await world.until(() => of('send_accepted').length === 1)
    expect(of('fell_back')).toMatchObject([{ attempt: 1, via: 'freeform', send: { state: 'ready' } }])
    expect(of('send_accepted')).toMatchObject([{ attempt: 1, via: 'template', send: { state: 'accepted' } }])
    expect(of('fell_back')[0]?.send?.key).toBe(of('send_accepted')[0]?.send?.key)
  })
})

it('hooks hear of requests that were refused for their body, and of commits', async () => {
  const { hooks, of } = hearing()
  await using world = await openWorld((bot) => bot.observe(hooks), { options: { bodyLimit: 10 } })
  expect(await world.deliver({}, 'longer than ten bytes')).toBe(413)
  expect(await world.deliver({}, 'short')).toBe(401)
  expect(of('refused').map(({ reason }) => reason)).toEqual(['too_large', 'missing'])
  expect(of('committed')[0]).toEqual({ operations: expect.any(Number), durationMs: expect.any(Number) })
})
