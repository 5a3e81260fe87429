import { childLog, type Log } from '../../base/log.ts'
import { keyFrom } from '../../client/client.ts'
import type { Content, Template } from '../../service/content.ts'
import { recipient } from '../../service/recipient.ts'
import { traceIdOf } from '../watcher.ts'
import { AttemptOver } from '../outbox/send.ts'
import { checkedInHandler, checkedReply, type HandlerSendOptions, type ReplyOptions } from '../outbox/send-options.ts'
import { parseBody } from '../inbox/payload/json.ts'
import type { Base, CustomerContext, Env } from '../routes/context.ts'
import { customerHandle } from './customer-handle.ts'
import {
  checkLease,
  once,
  recordFromHandler,
  recordReply,
  runEffect,
  type Slots,
  trackEffect,
} from './attempt-effects.ts'
import { openSession, type OpenSession } from './session.ts'
import type { RunningAttempt } from './attempt-types.ts'
import type { StartedItem } from '../../store/work/items.ts'

/**
 * Methods are fields, because handlers destructure the context. Members that cost time are getters. Functions that a
 * constructor makes would keep much of the messages in memory until V8's next full collection.
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
    runEffect(this.#running, async () => {
      const options = checkedReply(given)
      return recordReply(this.#running, { content, options, slot: this.#slots.next('reply', options.slot) })
    })

  get session(): unknown {
    return this.#session.value
  }

  set session(value: unknown) {
    this.#session.value = value
  }
}

/** Opens the session, once in an attempt, as the last step before handlers begin. @throws LeaseLost */
export async function sessionOfAttempt(running: RunningAttempt): Promise<OpenSession> {
  const { number, customer = '' } = running.item
  if (running.session) return running.session
  running.session = await openSession(running.deps.session, { number, customer }, running.deps)
  await checkLease(running)
  return running.session
}
