import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { SenderReach } from '../../src/bot/switchhook.ts'
import { says } from '../support/turn.ts'
import { ASHA, JUMA, openWorld } from '../support/virtual-world.ts'

interface Session {
  n: number
  other: number
}
type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const options = { session: z.object({ n: z.number().default(0), other: z.number().default(0) }) }
const reach = (bot: BotOf, customer = ASHA) => bot.to(customer) as unknown as SenderReach<Session>
const add = (amount: number) => (session: Session) => void (session.n += amount)
// oxlint-disable-next-line typescript/no-explicit-any -- the session of a bot without types
const of = (ctx: { session: unknown }) => ctx.session as any

/** A handler that waits until the test continues it, and adds one. */
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

describe('a session that is changed outside a handler', () => {
  it('is found by the next handler, and returned, even for a customer who never wrote', async () => {
    await using world = await openWorld((bot) => void bot.otherwise((ctx) => ctx.reply(String(of(ctx).n))), { options })
    expect(await reach(world.bot).updateSession(add(5))).toEqual({ n: 5, other: 0 })
    expect(await reach(world.bot).updateSession(({ n, other }) => ({ n: n * 2, other }))).toEqual({ n: 10, other: 0 })
    await says(world, 'hi')
    await says(world, 'hi', JUMA)
    expect([await world.replies(), await world.replies(JUMA)]).toEqual([['10'], ['0']])
  })

  it('waits for no handler, and a handler that changed another key keeps its own change [F-55]', async () => {
    const { begun, routes } = slow()
    await using world = await openWorld(routes, { options })
    await world.emulator.customer(ASHA).says('hi')
    await world.until(() => begun.length === 1)
    expect(await reach(world.bot).updateSession((session) => void (session.other = 10))).toEqual({ n: 0, other: 10 })
    begun[0]?.()
    await world.settled()
    expect(begun).toHaveLength(1)
    expect(await reach(world.bot).session()).toEqual({ n: 1, other: 10 })
  })

  it('runs a handler again that changed the same key: it is one attempt, and one reply, even if that differs [F-55]', async () => {
    const { begun, routes } = slow()
    await using world = await openWorld(routes, { options })
    await world.emulator.customer(ASHA).says('hi')
    await world.until(() => begun.length === 1)
    await reach(world.bot).updateSession(add(10))
    begun[0]?.()
    await world.until(() => begun.length === 2)
    begun[1]?.()
    await world.settled()
    expect(await reach(world.bot).session()).toEqual({ n: 11, other: 0 })
    expect(await world.replies()).toEqual(['1'])
    expect((await world.counts()).items).toEqual({ done: 1 })
  })

  it('is unchanged if the change throws or does not fit the schema, and the lane continues', async () => {
    await using world = await openWorld((bot) => void bot.otherwise((ctx) => ctx.reply(String(of(ctx).n))), { options })
    const { updateSession } = reach(world.bot)
    await expect(updateSession(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
    await expect(updateSession(() => ({ n: 'x' }) as never)).rejects.toMatchObject({ code: 'session_invalid' })
    await says(world, 'hi')
    expect(await world.replies()).toEqual(['0'])
  })
})
