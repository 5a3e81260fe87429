import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { SenderReach } from '../../src/index.ts'
import { says } from '../support/turn.ts'
import { ASHA, JUMA, openWorld } from '../support/virtual-world.ts'
import { openWorld as openRealWorld } from '../support/world.ts'

interface Session {
  n: number
}
type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const options = { session: z.object({ n: z.number().default(0) }) }
const reach = (bot: BotOf, customer = ASHA) => bot.to(customer) as unknown as SenderReach<Session>
const add = (amount: number) => (session: Session) => void (session.n += amount)
// oxlint-disable-next-line typescript/no-explicit-any -- the session of a bot without types
const of = (ctx: { session: unknown }) => ctx.session as any

/** A handler that waits until the test lets it go on, and adds one. */
function slow() {
  const begun: (() => void)[] = []
  const routes = (bot: BotOf) =>
    void bot.otherwise(async (ctx) => {
      await new Promise<void>((resolve) => begun.push(resolve))
      of(ctx).n += 1
      await ctx.reply(String(of(ctx).n))
    })
  return { begun, routes }
}

describe('a session that is written from outside a handler', () => {
  it('is what the next handler finds, and what is answered, for a customer who never wrote too', async () => {
    await using world = await openWorld((bot) => void bot.otherwise((ctx) => ctx.reply(String(of(ctx).n))), { options })
    expect(await reach(world.bot).updateSession(add(5))).toEqual({ n: 5 })
    expect(await reach(world.bot).updateSession(({ n }) => ({ n: n * 2 }))).toEqual({ n: 10 })
    await says(world, 'hi')
    await says(world, 'hi', JUMA)
    expect([await world.replies(), await world.replies(JUMA)]).toEqual([['10'], ['0']])
  })

  it('loses nothing to the handler that runs, nor that to it: it waits, and goes before the next message [F-55]', async () => {
    const { begun, routes } = slow()
    await using world = await openWorld(routes, { options })
    await world.emulator.customer(ASHA).says('one')
    await world.until(() => begun.length === 1)
    await world.emulator.customer(ASHA).says('two')
    await world.until(async () => (await world.counts()).items['stored'] === 1)
    const updated = reach(world.bot).updateSession(add(10))
    begun[0]?.()
    await world.until(() => begun.length === 2)
    begun[1]?.()
    expect(await updated).toEqual({ n: 11 })
    await world.settled()
    expect(await world.replies()).toEqual(['1', '12'])
  })

  it('waits for a message whose process was killed, which does not wait for it [F-55]', async () => {
    const { begun, routes } = slow()
    await using world = await openWorld(routes, { options })
    await world.emulator.customer(ASHA).says('hi')
    await world.until(() => begun.length === 1)
    await world.crash((bot) => void bot.otherwise((ctx) => void (of(ctx).n += 1)))
    const updated = reach(world.bot).updateSession(add(10))
    await world.pass('1m')
    expect((await world.counts()).items).toMatchObject({ done: 1 })
    expect(await updated).toEqual({ n: 11 })
  })

  it('has every one of many changes at once', async () => {
    await using world = await openWorld((bot) => void bot.otherwise(() => {}), { options })
    await Promise.all(Array.from({ length: 20 }, () => reach(world.bot).updateSession(add(1))))
    expect(await reach(world.bot).session()).toEqual({ n: 20 })
  })

  it('lets a waiting message begin behind those who came before it, however many changes follow [F-55]', async () => {
    const seen: number[] = []
    const asked: Promise<unknown>[] = []
    await using world = await openWorld((bot) => void bot.otherwise((ctx) => void seen.push(of(ctx).n)), { options })
    const outside = AsyncLocalStorage.snapshot()
    const ask = (change: (session: Session) => void | Promise<void>) =>
      void asked.push(outside(() => reach(world.bot).updateSession(change)))
    // Each asks for the next one while it has its turn, so that one waits at the end of each.
    const askOn = (session: Session) => {
      session.n += 1
      if (asked.length < 200) ask(askOn)
    }
    ask(async (session) => {
      await world.emulator.customer(ASHA).says('hi')
      await world.until(async () => (await world.counts()).items['stored'] === 1)
      askOn(session)
    })
    ask(askOn)
    for (let ended = 0; ended < asked.length; ended++) await asked[ended]
    expect(seen).toEqual([2])
    expect(await reach(world.bot).session()).toEqual({ n: asked.length })
  })

  it('goes before a message that nobody can begin, because the handler with the only slot may wait for it [F-55]', async () => {
    const { begun, routes } = slow()
    await using world = await openRealWorld(routes, { options: { ...options, lanes: 1 } })
    await world.emulator.customer(JUMA).says('hi')
    await world.until(() => begun.length === 1)
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.counts()).items['stored'] === 1)
    await reach(world.bot).updateSession(add(1))
    expect(await reach(world.bot).updateSession(add(2))).toEqual({ n: 3 })
    begun[0]?.()
    await world.until(() => begun.length === 2)
    begun[1]?.()
    await world.settled()
    expect(await world.replies()).toEqual(['4'])
  })

  it('is refused at a stop while it waits, though the change before it does not end [F-55]', async () => {
    await using world = await openWorld((bot) => void bot.otherwise(() => {}), { options })
    const { updateSession } = reach(world.bot)
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const first = updateSession(async () => {
      begun.resolve()
      await goOn.promise
    })
    await begun.promise
    const others = [1, 2].map((amount) => updateSession(add(amount)).catch(({ code }: { code: unknown }) => code))
    await world.bot.stop()
    const waits = new Promise((resolve) => void setImmediate(resolve, 'they wait'))
    expect(await Promise.race([Promise.all(others), waits])).toEqual(['not_started', 'not_started'])
    goOn.resolve()
    await Promise.allSettled([first])
  })

  it('is refused in a handler of that customer, whose end it would wait for, and in no other', async () => {
    const told: unknown[] = []
    await using world = await openWorld(
      (bot) =>
        void bot.otherwise(async (ctx) => {
          // A refusal is there at once; the timer tells of a wait that would not end.
          const waits = new Promise((resolve) => ctx.customer === JUMA || setTimeout(resolve, 30_000, 'waits').unref())
          const answer = reach(bot).updateSession(add(1))
          told.push(await Promise.race([waits, answer.catch((error: { code: unknown }) => error.code)]))
        }),
      { options },
    )
    await says(world, 'hi')
    await says(world, 'hi', JUMA)
    expect(told).toEqual(['options_invalid', { n: 1 }])
  })

  it('is refused within another change of that customer, whose end it would wait for', async () => {
    await using world = await openWorld(() => {}, { options })
    const within = (customer: string, inner: () => Promise<unknown>) =>
      reach(world.bot, customer).updateSession(async (session) => {
        await inner()
        session.n += 1
      })
    const again = () => reach(world.bot).updateSession(add(1))
    for (const asked of [within(ASHA, again), within(ASHA, () => within(JUMA, again))]) {
      // A refusal is there at once; the timer tells of a wait that would not end.
      const waits = new Promise((resolve) => setTimeout(resolve, 30_000, 'waits').unref())
      const answer = await Promise.race([waits, asked.catch((error: { code: unknown }) => error.code)])
      expect(answer).toBe('options_invalid')
    }
    expect(await within(JUMA, again)).toEqual({ n: 1 })
    expect(await again()).toEqual({ n: 2 })
  })

  it('is left as it was if the change throws or does not fit the schema, and the lane goes on', async () => {
    await using world = await openWorld((bot) => void bot.otherwise((ctx) => ctx.reply(String(of(ctx).n))), { options })
    const { updateSession } = reach(world.bot)
    await expect(updateSession(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
    await expect(updateSession(() => ({ n: 'x' }) as never)).rejects.toMatchObject({ code: 'session_invalid' })
    await says(world, 'hi')
    expect(await world.replies()).toEqual(['0'])
  })
})
