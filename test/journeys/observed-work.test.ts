import { describe, expect, it } from 'vitest'
import { type Hooks, type Observed, template } from '../../src/bot/switchhook.ts'
import { headersOf, MESSAGE } from '../bot/in/signing.ts'
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
  'fell_back',
  'committed',
]

describe('hooks report', () => {
  it('contain the route, number and delivery of an attempt, how long it waited and how long it took', async () => {
    const { hooks, of } = hearing()
    // A clock that moves only if the test reports that something took time.
    let now = Date.now()
    const slow: typeof fetch = async (...request) => {
      now += 250
      return fetch(...request)
    }
    await using world = await openWorld(
      (bot) => {
        bot.observe(hooks)
        bot.hears('hi', async (ctx) => {
          if (ctx.attempt > 1) return void (await ctx.reply('hello'))
          now += 1_500
          throw new Error('once')
        })
      },
      { options: { clock: () => new Date(now), fetch: slow, bodyLimit: 10_000 } },
    )
    const { deliveryIds } = await world.emulator.customer(ASHA).says('hi')
    await world.until(() => of('handled').length === 1 && of('send_accepted').length === 1)
    const [deliveryId] = deliveryIds
    const about = { deliveryId, event: 'message.received', number: 'default', route: 'hears:hi' }
    expect(of('accepted')[0]).toEqual({ deliveryId, event: 'message.received', durationMs: 0 })
    expect(of('committed')[0]).toEqual({ operations: expect.any(Number), durationMs: expect.any(Number) })
    expect(of('failed')).toMatchObject([{ ...about, attempt: 1, waitedMs: 0, durationMs: 1_500 }])
    expect(of('handled')).toMatchObject([{ ...about, attempt: 2, waitedMs: 1_500, durationMs: 250 }])
    expect(of('send_accepted')).toMatchObject([{ deliveryId, attempt: 1, durationMs: 250 }])

    expect(await world.deliver(headersOf(MESSAGE), 'x'.repeat(10_001))).toBe(413)
    expect(await world.deliver({}, 'short')).toBe(401)
    expect(of('refused').map(({ reason }) => reason)).toEqual(['too_large', 'missing'])
  })

  it('contain the state of a send after each event, and its template after the fallback [R SEND-20, R ERR-06]', async () => {
    const { hooks, of } = hearing()
    await using world = await openWorld((bot) => bot.observe(hooks).otherwise(() => {}))
    const { templates, faults, customer } = world.emulator
    const body = 'Your order {{1}} is ready.'
    await templates.add({ name: 'order_ready', language: 'en', category: 'UTILITY', body })
    const outsideWindow = template('order_ready', 'en', { body: ['7781'] })
    await world.bot.to(ASHA).send('hello', { key: 'one', outsideWindow })
    await world.until(() => of('send_accepted').length === 1)
    expect(of('fell_back')).toMatchObject([{ attempt: 1, via: 'freeform', send: { state: 'ready' } }])
    expect(of('send_accepted')).toMatchObject([{ attempt: 1, via: 'template', send: { state: 'accepted' } }])
    expect(of('fell_back')[0]?.send?.key).toBe(of('send_accepted')[0]?.send?.key)

    await customer(ASHA).says('hi')
    await faults.set([{ on: 'send', do: 'status', status: 500, next: 1 }])
    await world.bot.to(ASHA).send('hello', { key: 'two' })
    expect(of('send_retried')).toMatchObject([{ attempt: 1, send: { state: 'attempting', messageId: undefined } }])
    await world.until(() => of('send_accepted').length === 2)
    const accepted = { state: 'accepted', messageId: expect.any(String) as string }
    expect(of('send_accepted')[1]).toMatchObject({ attempt: 2, via: 'freeform', send: accepted })
  })
})
