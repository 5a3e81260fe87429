import { type Duration, toMs } from '../base/duration.ts'
import type { Content, Template } from '../content/index.ts'
import { type Agent, agentOf, checkedReply, type ReplyOptions, type Window, windowAt } from '../outbox/index.ts'
import type { Conversation, Env, Message, MessageContext } from '../routes/index.ts'
import { BaseContext } from './context.ts'
import { historyOf } from './history.ts'
import { recordReply } from './reply.ts'
import { enterFromHandler } from './run-conversation.ts'
import { runEffect, trackEffect } from './run-effect.ts'
import { sessionOfAttempt } from './customer-context.ts'
import type { OpenSession } from './session.ts'
import { type Slots, slotsOf } from './send-slots.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'

/** Each route has a context of its own, since the slots of its replies carry its id. */
export type ContextFor = (route: string) => MessageContext<Env>

/** Opens the customer's session, once for all contexts of an attempt. */
export async function messageContexts(
  messages: readonly Message[],
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<ContextFor> {
  const now = deps.clock.service()
  const known: Known = { now, session: await sessionOfAttempt(running, deps) }
  return (route) => new ContextOfMessage(slotsOf(route, running, deps), messages, known, running, deps)
}

/** The customer's state when the handlers begin. */
interface Known {
  /** Service time. */
  readonly now: number
  readonly session: OpenSession
}

class ContextOfMessage extends BaseContext implements MessageContext<Env> {
  readonly #slots: Slots
  readonly #known: Known
  readonly #running: RunningAttempt
  readonly #deps: AttemptDeps
  readonly customer: string
  readonly message: Message
  readonly messages: readonly Message[]
  readonly late: boolean

  constructor(slots: Slots, messages: readonly Message[], known: Known, running: RunningAttempt, deps: AttemptDeps) {
    super(slots, running, deps)
    this.#slots = slots
    this.#known = known
    this.#running = running
    this.#deps = deps
    this.customer = running.item.customer ?? ''
    this.message = messages.at(-1) as Message
    this.messages = messages
    this.late = running.item.late
  }

  get session(): unknown {
    return this.#known.session.value
  }

  set session(value: unknown) {
    this.#known.session.value = value
  }

  get window(): Window {
    return windowAt(this.#running.item.lastInboundAt, this.#known.now)
  }

  get agent(): Agent {
    return agentOf(this.#running.item, this.#known.now, this.#deps.takeoverMs)
  }

  readonly history = (last?: number) => historyOf(this.#who(), last, this.#deps)

  readonly handOver = ({ for: span }: { for: Duration }) =>
    runEffect(this.#running, this.#deps, async () =>
      this.#deps.takeover.handOver(this.#who(), toMs(span, 'handOver.for'), this.#running.fence),
    )

  readonly resume = () =>
    runEffect(this.#running, this.#deps, () => this.#deps.takeover.resume(this.#who(), this.#running.fence))

  readonly enter = <I>(conversation: Conversation<I>, ...input: readonly unknown[]) =>
    trackEffect(this.#running, this.#deps, () =>
      enterFromHandler(conversation as Conversation<never>, input[0], this.#slots, this.#running, this.#deps),
    )

  readonly reply = (content: Content | Template, given: ReplyOptions = {}) =>
    runEffect(this.#running, this.#deps, async () => {
      const options = checkedReply(given)
      const slot = this.#slots.next('reply', options.slot)
      return recordReply(this.#running, this.#deps, { content, slot, options })
    })

  #who() {
    const { number, customer = '' } = this.#running.item
    return { number, customer }
  }
}
