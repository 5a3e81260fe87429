import type { Env, MessageContext } from '../../switchhook.ts'
import { contentFor, type Told } from './content.ts'

/**
 * Makes a handler for STOP. It stores when and how the customer opted out, and then answers. Announcements and sends of
 * `kind: 'marketing'` skip the customer from then on.
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
 * Makes a handler for START, which ends the opt-out on this number and answers. A START that the customer wrote before
 * a STOP and that arrives late changes nothing, and gets no answer.
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
