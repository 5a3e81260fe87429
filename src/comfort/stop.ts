import type { Content, Env, MessageContext, OneTimeCode, Sender, SendOptions, Template } from '../index.ts'
import { contentFor, type Told } from './content.ts'

/** The member of a session that remembers STOP: `stopped: z.boolean().default(false)`. */
export interface Stoppable {
  stopped: boolean
}

type Stopping = MessageContext<Env> & { session: Stoppable }

/**
 * Makes a handler for STOP. Senders from `heedStop` then send the customer only replies. Sends that were scheduled
 * before still go out. If there may be such sends, cancel them in the handler.
 *
 *     bot.hears(['stop', 'acha'], stopSending('You will only get replies now. Write START for news.'))
 *     bot.hears(['start', 'anza'], startSending('You will get news again.'))
 *     const sender = heedStop(bot) // give this to your services
 */
export function stopSending<C extends Stopping>(content: Told<C>): (ctx: C) => Promise<void> {
  return remembering(true, content)
}

/**
 * Makes a handler for START, which undoes `stopSending`.
 *
 *     bot.hears(['start', 'anza'], startSending('You will get news again.'))
 */
export function startSending<C extends Stopping>(content: Told<C>): (ctx: C) => Promise<void> {
  return remembering(false, content)
}

function remembering<C extends Stopping>(stopped: boolean, content: Told<C>): (ctx: C) => Promise<void> {
  return async (ctx) => {
    ctx.session.stopped = stopped
    await ctx.reply(await contentFor(content, ctx))
  }
}

/**
 * Wraps a sender so that it skips sends to a customer who wrote STOP: `{ via: 'skipped', why: 'stopped' }`. It checks
 * when `send` is called, which may be long before a scheduled send goes out. A one-time code is sent, because the
 * customer waits for it.
 *
 *     const sender = heedStop(bot)
 *
 * STOP is stored in the session. `forget()` and the session's `ttl` remove it, so give such a session no `ttl`.
 */
export function heedStop<S extends Stoppable>(sender: Sender<S>): Sender<S> {
  return {
    cancel: (key) => sender.cancel(key),
    to(customer) {
      const handle = sender.to(customer)
      return {
        ...handle,
        async send(content: Content | Template | OneTimeCode, options: SendOptions) {
          if (typeof content === 'object' && content.kind === 'code') return handle.send(content, options)
          if ((await handle.session()).stopped) return { via: 'skipped', why: 'stopped' } as const
          return handle.send(content, options)
        },
      } as typeof handle
    },
  }
}
