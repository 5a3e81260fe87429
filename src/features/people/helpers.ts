import { contentFor, type Told } from '../../bot/routes/told.ts'
import type { Duration, Env, MessageContext, Routes } from '../../bot/switchhook.ts'

/**
 * Makes a handler that sends the content and hands the customer over to a person for the time `for`.
 *
 *     const toPerson = handOver('Somebody will write to you.', { for: '8h' })
 *     bot.hears(['person', 'mtu'], toPerson).tapped('person', toPerson)
 *
 * Do not use `BOT` as a word for returning to the bot, because it calls the service's own agent.
 */
export function handOver<C extends MessageContext<Env>>(
  content: Told<C>,
  o: { for: Duration },
): (ctx: C) => Promise<void> {
  return async (ctx) => {
    // The reply comes first, because after the hand-over the bot does not reply.
    await ctx.reply(await contentFor(content, ctx))
    await ctx.handOver(o)
  }
}

/**
 * Makes a handler that returns the customer to the bot and sends the content. Register it in `whileTakenOver`.
 *
 *     bot.whileTakenOver((b) => b.hears('menu', resume('I am back.')))
 */
export function resume<C extends MessageContext<Env>>(content: Told<C>): (ctx: C) => Promise<void> {
  return async (ctx) => {
    await ctx.resume()
    await ctx.reply(await contentFor(content, ctx))
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- accepts any bot and any routes
type EventRoutes = Pick<Routes<any, any>, 'on'>

/**
 * Lets the bot rest while a person writes to the same customer elsewhere. Each event `message.sent` hands the customer
 * over for the time `for`, if this bot did not send the message. While a send of the bot is under way, it is unclear
 * who sent the message, so the next reply waits, at most five seconds. The service declares the event, but has not
 * confirmed it.
 *
 *     quietWhilePeopleWrite(bot, { for: '1h' })
 *
 * @param o.byPerson true for a payload that is about a person's message. Default: true for every message that this bot
 * did not send, also for those of the service's own agent.
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
