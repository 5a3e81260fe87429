import type { Content, Env, MessageContext, OneTimeCode, Sender, SendOptions, Template } from '../index.ts'
import { contentFor, type Told } from './content.ts'

/** The member that a session needs to remember STOP: `stopped: z.boolean().default(false)`. */
export interface Stoppable {
  stopped: boolean
}

type Stopping = MessageContext<Env> & { session: Stoppable }

/**
 * A handler for STOP: from then on senders that heed it send the customer nothing that is no answer. Sends that were
 * scheduled before still go out: if there may be such, cancel them in the handler.
 *
 *     bot.hears(['stop', 'acha'], stopSending('You hear from us when you write. START brings the news back.'))
 *     bot.hears(['start', 'anza'], startSending('The news is back.'))
 *     const sender = heedStop(bot)                   // give this to your services
 */
export function stopSending<C extends Stopping>(content: Told<C>): (ctx: C) => Promise<void> {
  return remembering(true, content)
}

/** A handler for START: undoes `stopSending`. */
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
 * The same sender, which skips sends to a customer who said STOP: `{ via: 'skipped', why: 'stopped' }`. It looks when
 * `send` is called, which may be long before a scheduled send goes out. A one-time code is sent: somebody waits for it.
 *
 * STOP is remembered in the session, and forgotten with it: by `forget()`, and when the session's `ttl` is over. Give
 * such a session no `ttl`.
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
