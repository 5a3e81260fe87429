import type { Content, Env, MessageContext, OneTimeCode, Sender, SendOptions, Template } from '../index.ts'
import { contentOf, type Told } from './told.ts'

/** What a session must have for STOP to be remembered: `stopped: z.boolean().default(false)`. */
export interface Stoppable {
  stopped: boolean
}

type Stopping = MessageContext<Env> & { session: Stoppable }

/**
 * A handler for STOP: the customer is sent nothing any more that answers nothing, by senders that heed it. What was
 * scheduled before still goes out, so cancel it here where there is such.
 *
 *     bot.hears(['stop', 'acha'], stopSending('You hear from us when you write. START brings the news back.'))
 *     bot.hears(['start', 'anza'], startSending('The news is back.'))
 *     const sender = heedStop(bot)                   // give this to your services
 */
export function stopSending<C extends Stopping>(told: Told<C>): (ctx: C) => Promise<void> {
  return remembering(true, told)
}

/** A handler for START: undoes `stopSending`. */
export function startSending<C extends Stopping>(told: Told<C>): (ctx: C) => Promise<void> {
  return remembering(false, told)
}

function remembering<C extends Stopping>(stopped: boolean, told: Told<C>): (ctx: C) => Promise<void> {
  return async (ctx) => {
    ctx.session.stopped = stopped
    await ctx.reply(await contentOf(told, ctx))
  }
}

/**
 * The same sender, which skips what a customer who said STOP would get: `{ via: 'skipped', why: 'stopped' }`. It looks
 * when it is asked to send, so also long before a scheduled one goes out. A one-time code goes out: somebody waits for it.
 *
 * The word lies in the session, so it is forgotten with it: with `forget()`, and where the session's `ttl` is over. Give
 * such a session no `ttl`.
 */
export function heedStop<S extends Stoppable>(sender: Sender<S>): Sender<S> {
  return {
    cancel: (key) => sender.cancel(key),
    to(customer) {
      const reach = sender.to(customer)
      return {
        ...reach,
        async send(content: Content | Template | OneTimeCode, options: SendOptions) {
          if (typeof content === 'object' && content.kind === 'code') return reach.send(content, options)
          if ((await reach.session()).stopped) return { via: 'skipped', why: 'stopped' } as const
          return reach.send(content, options)
        },
      } as typeof reach
    },
  }
}
