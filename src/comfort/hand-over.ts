import type { Duration, Env, MessageContext, Routes } from '../index.ts'
import { contentFor, type Told } from './content.ts'

/**
 * A handler that leaves the customer to a person: it says so, and then the bot does not reply for that long.
 *
 *     const toPerson = handOver('Somebody will write to you.', { for: '8h' })
 *     bot.hears(['person', 'mtu'], toPerson).tapped('person', toPerson)
 *
 * Do not use `BOT` as the word for the way back: it wakes the service's own agent.
 */
export function handOver<C extends MessageContext<Env>>(
  content: Told<C>,
  o: { for: Duration },
): (ctx: C) => Promise<void> {
  return async (ctx) => {
    // In this order: after the hand-over the bot is silent.
    await ctx.reply(await contentFor(content, ctx))
    await ctx.handOver(o)
  }
}

/** A handler that takes the customer back from a person, or from the service's own agent, and says so. */
export function resume<C extends MessageContext<Env>>(content: Told<C>): (ctx: C) => Promise<void> {
  return async (ctx) => {
    await ctx.resume()
    await ctx.reply(await contentFor(content, ctx))
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- any bot, or routes of any
type EventRoutes = Pick<Routes<any, any>, 'on'>

/**
 * Keeps the bot from replying while a person writes to the same customer: each of the person's messages hands the
 * customer over for that long, and replaces an earlier hand-over. A message counts from 30 s after it came, and only if
 * this bot cannot have sent it.
 *
 * It learns of such messages by `message.sent`, which the service only declares: if that event never comes, this does
 * nothing.
 *
 *     quietWhilePeopleWrite(bot, { for: '1h' })
 *
 * @param o.byPerson true for a payload of `message.sent` that a person's message brought. Default: true for every
 * message that this bot did not send; since payloads are not shown, that includes those of the service's own agent.
 */
export function quietWhilePeopleWrite(
  bot: EventRoutes,
  o: { for: Duration; byPerson?: (json: unknown) => boolean },
): void {
  bot.on('message.sent', async (ctx) => {
    if (ctx.customer === undefined || o.byPerson?.(ctx.json) === false) return
    if ((await ctx.sentBy()) === 'other') await ctx.to(ctx.customer).handOver({ for: o.for })
  })
}
