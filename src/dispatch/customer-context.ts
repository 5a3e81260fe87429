import type { Content, Template } from '../content/index.ts'
import { checkedReply, type ReplyOptions } from '../outbox/index.ts'
import type { CustomerContext, Env } from '../routes/index.ts'
import { BaseContext } from './context.ts'
import { checkLane } from './lane-lost.ts'
import { recordReply } from './reply.ts'
import { runEffect } from './run-effect.ts'
import { openSession, type OpenSession } from './session.ts'
import { slotsOf } from './send-slots.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'

/** The context of a handler that hears of a customer, and not of a message. */
export class ContextOfCustomer extends BaseContext implements CustomerContext<Env> {
  readonly #session: OpenSession
  readonly customer: string
  readonly reply: (content: Content | Template, given?: ReplyOptions) => ReturnType<typeof recordReply>

  /** @param session of the attempt: see `sessionOfAttempt`. */
  constructor(handler: string, session: OpenSession, running: RunningAttempt, deps: AttemptDeps) {
    const slots = slotsOf(handler, running, deps)
    super(slots, running, deps)
    this.#session = session
    this.customer = running.item.customer ?? ''
    this.reply = (content, given = {}) =>
      runEffect(running, deps, async () => {
        const options = checkedReply(given)
        return recordReply(running, deps, { content, options, slot: slots.next('reply', options.slot) })
      })
  }

  get session(): unknown {
    return this.#session.value
  }

  set session(value: unknown) {
    this.#session.value = value
  }
}

/**
 * Opens the session of the item's customer, once in an attempt: the last that is read before handlers begin.
 *
 * @throws LaneLost
 */
export async function sessionOfAttempt(running: RunningAttempt, deps: AttemptDeps): Promise<OpenSession> {
  const { number, customer = '' } = running.item
  if (running.session) return running.session
  running.session = await openSession(deps.session, { number, customer }, deps)
  await checkLane(running)
  return running.session
}
