import * as builtIn from '../../built-in/context-methods.ts'
import type { ContextMembers } from '../../built-in/context-members.ts'
import * as values from '../../built-in/context-values.ts'
import * as methodsOfCustomer from '../../built-in/customer-methods.ts'
import { childLog, type Log } from '../../base/log.ts'
import { keyFrom } from '../../client/client.ts'
import type { Content, Template } from '../../service/content.ts'
import { recipient } from '../../service/recipient.ts'
import type { MessageOfAttempt } from '../feature.ts'
import { parseBody } from '../inbox/payload/read-body.ts'
import { type Window, windowAt } from '../outbox/window.ts'
import { AttemptOver, type Send } from '../outbox/send.ts'
import { checkedInHandler, type HandlerSendOptions, type ReplyOptions } from '../outbox/send-options.ts'
import type { Base, CustomerContext, Env, Message, MessageContext } from '../routes/context.ts'
import { traceIdOf } from '../watcher.ts'
import { once, recordFromHandler, reply, runEffect, trackEffect } from './attempt-effects.ts'
import { type Slots, slotsOf, checkLease, type RunningAttempt } from './running-attempt.ts'
import { customerHandle } from './customer-handle.ts'
import { historyOf } from './history.ts'
import { openSession, type OpenSession } from './session.ts'
import type { StartedItem } from '../../store/work/items.ts'

/** Makes the context of a route. Each route has its own, because the slots of its replies carry its id. */
export type ContextFor = (route: string) => MessageContext<Env>

export async function messageContexts(messages: readonly Message[], running: RunningAttempt): Promise<ContextFor> {
  const now = running.deps.clock.service()
  const session = await sessionOfAttempt(running)
  return (route) =>
    new ContextOfMessage(slotsOf(route, running), messages, { now, session }, running) as ContextOfMessage &
      ContextMembers
}

/** Opens the session, once in an attempt, as the last step before handlers begin. @throws LeaseLost, AttemptOver */
export async function sessionOfAttempt(running: RunningAttempt): Promise<OpenSession> {
  const { number, customer = '' } = running.item
  if (running.session) return running.session
  running.session = await openSession(running.deps.session, { number, customer }, running.deps)
  await checkLease(running)
  return running.session
}

/**
 * Methods are arrow functions in fields, because handlers destructure the context. They do not stand in the constructor:
 * V8 would keep such functions, with the message, until its next full garbage collection. Members that cost time are
 * getters.
 */
export class BaseContext implements Base<Env> {
  readonly #running: RunningAttempt
  readonly #slots: Slots
  #event: ReturnType<typeof eventOf> | undefined
  readonly number: string
  readonly attempt: number
  readonly lastAttempt: boolean

  constructor(slots: Slots, running: RunningAttempt) {
    this.#running = running
    this.#slots = slots
    this.number = running.item.number
    this.attempt = running.item.attempt
    this.lastAttempt = this.attempt >= running.deps.limits.max
  }

  get event(): ReturnType<typeof eventOf> {
    return (this.#event ??= eventOf(this.#running.item.delivery))
  }

  get signal(): AbortSignal {
    return this.#running.clock.signal
  }

  get log(): Log {
    return logOf(this.#running)
  }

  readonly now = () => new Date(this.#running.deps.clock.service())

  readonly to = (customer: string) => handlerHandle(customer, this.#slots, this.#running)

  readonly once = <T>(ownName: string, run: () => T | Promise<T>): Promise<T> => {
    const running = this.#running
    const name = this.#slots.once(ownName)
    running.onces ??= new Map()
    const result = running.onces.get(name) ?? trackEffect(running, () => once(running, running.deps, name, run))
    running.onces.set(name, result)
    return result as Promise<T>
  }
}

function eventOf({ event: name, deliveryId, subscription, receivedAt, body: raw }: StartedItem['delivery']) {
  return {
    name,
    deliveryId,
    subscription,
    receivedAt: new Date(receivedAt),
    raw,
    // oxlint-disable-next-line typescript/no-explicit-any -- the app's generated types say what it is
    get json(): any {
      const parsed = parseBody(raw)
      return 'json' in parsed ? parsed.json : undefined
    },
  }
}

function handlerHandle(customer: string, slots: Slots, running: RunningAttempt) {
  const { item, fence } = running
  return customerHandle<HandlerSendOptions>(customer, {
    number: item.number,
    delivery: item.delivery.deliveryId,
    fence,
    customers: () => running.deps.customers,
    effect: (run) => runEffect(running, run),
    session: async (who) => (await openSession(running.deps.session, who, running.deps)).value,
    async enter(who, made, input) {
      const key = keyFrom(item.number, item.cause, slots.next(`to:${who.customer}/enter`))
      if ((await running.deps.entered?.enterNext(who, made, input, { ...running.deps, key, fence })) === false)
        throw new AttemptOver()
    },
    ownSends: () => running.deps.ownSends,
    recordSend(content, given = {}) {
      const options = checkedInHandler(given)
      const slot = slots.next(`to:${customerOrAsWritten(customer, running)}`)
      return recordFromHandler(running, { to: customer, content, slot, options })
    },
  })
}

export function logOf(running: RunningAttempt): Log {
  const { item } = running
  return (running.log ??= childLog(running.deps.log, {
    delivery: item.delivery.deliveryId,
    attempt: item.attempt,
    ...traceIdOf(running.trace),
    ...(item.customer !== undefined && { customer: running.deps.pseudonym(item.customer) }),
  }))
}

/** The customer for a slot, by one spelling of the number. A text that is no phone number stays: recording refuses it. */
function customerOrAsWritten(customer: string, { deps }: RunningAttempt): string {
  try {
    return deps.customers.sameCustomer.of(recipient(customer))
  } catch {
    return customer
  }
}

export class ContextOfCustomer extends BaseContext implements CustomerContext<Env> {
  readonly #slots: Slots
  readonly #session: OpenSession
  readonly #running: RunningAttempt
  readonly customer: string

  constructor(slots: Slots, session: OpenSession, running: RunningAttempt) {
    super(slots, running)
    this.#slots = slots
    this.#session = session
    this.#running = running
    this.customer = running.item.customer ?? ''
  }

  readonly reply = (content: Content | Template, given: ReplyOptions = {}) =>
    reply(this.#running, this.#slots, content, given)

  get session(): unknown {
    return this.#session.value
  }

  set session(value: unknown) {
    this.#session.value = value
  }
}

// ── the context of a message ────────────────────────────────────────────────────────────────────────

type MethodOfFeature = (of: MessageOfAttempt) => (...given: readonly unknown[]) => Promise<unknown>
type ValueOfFeature = (item: StartedItem, now: number) => unknown

const METHODS_OF_FEATURES = [...Object.values(builtIn), ...Object.values(methodsOfCustomer)].flatMap((methods) =>
  Object.entries(methods as Readonly<Record<string, MethodOfFeature>>),
)
const VALUES_OF_FEATURES = Object.values(values).flatMap((all) =>
  Object.entries(all as Readonly<Record<string, ValueOfFeature>>),
)

class ContextOfMessage extends ContextOfCustomer implements Omit<MessageContext<Env>, keyof ContextMembers> {
  static {
    for (const [name, value] of VALUES_OF_FEATURES)
      Object.defineProperty(this.prototype, name, {
        get(this: ContextOfMessage) {
          return value(this.#running.item, this.#now)
        },
        configurable: true,
      })
  }

  readonly #slots: Slots
  /** Service time. */
  readonly #now: number
  readonly #running: RunningAttempt
  readonly message: Message
  readonly messages: readonly Message[]
  readonly late: boolean

  constructor(
    slots: Slots,
    messages: readonly Message[],
    { now, session }: { readonly now: number; readonly session: OpenSession },
    running: RunningAttempt,
  ) {
    super(slots, session, running)
    this.#slots = slots
    this.#now = now
    this.#running = running
    this.message = messages.at(-1) as Message
    this.messages = messages
    this.late = running.item.late
    const own = this as unknown as Record<string, unknown>
    for (const [name, method] of METHODS_OF_FEATURES) own[name] = this.#methodOf(method)
  }

  get name(): string | undefined {
    return this.#running.facts.values.name
  }

  get facts(): Readonly<Record<string, unknown>> {
    return this.#running.facts.own
  }

  get window(): Window {
    return windowAt(this.#running.item.lastInboundAt, this.#now)
  }

  get tap(): { readonly of: Send | undefined } | undefined {
    return this.message.tapped && { of: this.#running.tap?.send }
  }

  readonly history = (o: { last?: number } = {}) => historyOf(this.#who(), o, this.#running.deps)

  readonly enter = (made: object, ...input: readonly unknown[]) =>
    trackEffect(this.#running, async () =>
      this.#running.deps.entered?.enter(made, input[0], (kind) => this.#slots.next(kind), this.#running),
    )

  /** Made here, because a function that the constructor made would keep the messages in memory. */
  #methodOf(method: MethodOfFeature) {
    return (...given: readonly unknown[]) => {
      const { fence, deps } = this.#running
      return runEffect(this.#running, () => method({ who: this.#who(), fence, deps })(...given))
    }
  }

  #who() {
    return { number: this.#running.item.number, customer: this.customer }
  }
}

export function withVars<C extends object, V extends object>(context: C, vars: V): C & V {
  for (const [name, value] of Object.entries(vars))
    Object.defineProperty(context, name, { value, writable: true, enumerable: true, configurable: true })
  return context as C & V
}
