import type { Duration, Env, MessageContext } from '../index.ts'
import { contentOf, type Told } from './told.ts'

/**
 * A handler that leaves the customer to a person: says so, and then the bot does not reply for that long.
 *
 *     const toPerson = handOver('Somebody will write to you.', { for: '8h' })
 *     bot.hears(['person', 'mtu'], toPerson).tapped('person', toPerson)
 *
 * `BOT` is no word for the way back: it wakes the service's own agent.
 */
export function handOver<C extends MessageContext<Env>>(
  told: Told<C>,
  o: { for: Duration },
): (ctx: C) => Promise<void> {
  return async (ctx) => {
    // In this order: a silent bot could not say it.
    await ctx.reply(await contentOf(told, ctx))
    await ctx.handOver(o)
  }
}

/** A handler that takes the customer back from a person, or from the service's own agent, and says so. */
export function resume<C extends MessageContext<Env>>(told: Told<C>): (ctx: C) => Promise<void> {
  return async (ctx) => {
    await ctx.resume()
    await ctx.reply(await contentOf(told, ctx))
  }
}
