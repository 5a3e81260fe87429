import type { Duration, Env, MessageContext, Routes } from '../../switchhook.ts'
import { contentFor, type Told } from './opening-hours.ts'

/**
 * Makes a handler that sends the content and hands the customer over to a person for that long.
 *
 *     const toPerson = handOver('Somebody will write to you.', { for: '8h' })
 *     bot.hears(['person', 'mtu'], toPerson).tapped('person', toPerson)
 *
 * Do not use `BOT` as the word for returning to the bot, because it resumes the service's own agent.
 */
export function handOver<C extends MessageContext<Env>>(
  content: Told<C>,
  o: { for: Duration },
): (ctx: C) => Promise<void> {
  return async (ctx) => {
    // In this order, because after the hand-over the bot does not reply.
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

// oxlint-disable-next-line typescript/no-explicit-any -- any bot, or routes of any
type EventRoutes = Pick<Routes<any, any>, 'on'>

/**
 * Lets the bot's routes rest while a person writes to the same customer. Each of the person's messages hands the
 * customer over for that long. It counts 30 s after it arrived, and only if this bot cannot have sent it. It needs the
 * event `message.sent`, which the service declares but has not confirmed.
 *
 *     quietWhilePeopleWrite(bot, { for: '1h' })
 *
 * @param o.byPerson true for a payload that is about a person's message. Default: true for every message that this bot did
 * not send, also for those of the service's own agent.
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

/**
 * Makes a handler for STOP: announcements and sends of `kind: 'marketing'` skip the customer from then on.
 *
 *     const stop = stopSending('You will only get replies now. Write START for news.')
 *     bot.hears(['stop', 'acha'], stop)
 *     bot.whileTakenOver((b) => b.hears(['stop', 'acha'], stop)) // without an answer
 */
export function stopSending<C extends MessageContext<Env>>(content: Told<C>): (ctx: C) => Promise<void> {
  return async (ctx) => {
    await ctx.to(ctx.customer).optOut(said(ctx))
    await ctx.reply(await contentFor(content, ctx))
  }
}

/**
 * Makes a handler for START, which ends the opt-out on this number. A START from before a STOP changes nothing.
 *
 *     bot.hears(['start', 'anza'], startSending('You will get news again.'))
 */
export function startSending<C extends MessageContext<Env>>(content: Told<C>): (ctx: C) => Promise<void> {
  return async (ctx) => {
    if (await ctx.to(ctx.customer).optIn(said(ctx))) await ctx.reply(await contentFor(content, ctx))
  }
}

function said({ message: { tapped, at } }: MessageContext<Env>): { how: string; at: Date } {
  return { how: tapped ? 'tap' : 'message', at }
}
