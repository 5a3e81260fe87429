import { childLog, type Log } from '../../base/log.ts'
import { keyFrom } from '../../client/client.ts'
import type { Content, Template } from '../../service/content.ts'
import { recipient } from '../../service/recipient.ts'
import { AttemptOver } from '../out/send.ts'
import { checkedInHandler, checkedReply, type HandlerSendOptions, type ReplyOptions } from '../out/send-options.ts'
import { parseBody } from '../in/payload/json.ts'
import type { Base, CustomerContext, Env } from '../routes/context.ts'
import type { StartedItem } from '../../store/types/types.ts'
import { customerHandle, entryOf } from './customer-handle.ts'
import {
  checkLane,
  once,
  recordFromHandler,
  recordReply,
  runEffect,
  type Slots,
  trackEffect,
} from './attempt-effects.ts'
import { openSession, type OpenSession } from './session.ts'
import type { AttemptDeps, RunningAttempt } from './attempt-types.ts'

/** Methods are fields, since handlers take them out of the context. What costs something is a getter. */
export class BaseContext implements Base<Env> {
  readonly #running: RunningAttempt
  readonly #deps: AttemptDeps
  readonly #slots: Slots
  #event: EventInfo | undefined
  readonly number: string
  readonly attempt: number
  readonly lastAttempt: boolean

  constructor(slots: Slots, running: RunningAttempt, deps: AttemptDeps) {
    this.#running = running
    this.#deps = deps
    this.#slots = slots
    this.number = running.item.number
    this.attempt = running.item.attempt
    this.lastAttempt = this.attempt >= deps.limits.max
  }

  get event(): EventInfo {
    return (this.#event ??= new EventInfo(this.#running.item.delivery))
  }

  get signal(): AbortSignal {
    return this.#running.clock.signal
  }

  get log(): Log {
    return logOf(this.#running, this.#deps)
  }

  readonly now = () => new Date(this.#deps.clock.service())

  readonly to = (customer: string) => handlerHandle(customer, this.#slots, this.#running, this.#deps)

  readonly once = <T>(ownName: string, run: () => T | Promise<T>): Promise<T> => {
    const running = this.#running
    const name = this.#slots.once(ownName)
    running.onces ??= new Map()
    const begun =
      running.onces.get(name) ?? trackEffect(running, this.#deps, () => once(running, this.#deps, name, run))
    running.onces.set(name, begun)
    return begun as Promise<T>
  }
}

class EventInfo {
  readonly name: string
  readonly deliveryId: string
  readonly subscription: string
  readonly receivedAt: Date
  readonly raw: Uint8Array

  constructor({ event, deliveryId, subscription, receivedAt, body }: StartedItem['delivery']) {
    this.name = event
    this.deliveryId = deliveryId
    this.subscription = subscription
    this.receivedAt = new Date(receivedAt)
    this.raw = body
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the app's generated types say what it is
  get json(): any {
    return jsonOf(this.raw)
  }
}

function handlerHandle(customer: string, slots: Slots, running: RunningAttempt, deps: AttemptDeps) {
  const { item, fence } = running
  return customerHandle<HandlerSendOptions>(customer, {
    number: item.number,
    fence,
    takeovers: () => deps.takeovers,
    optOuts: () => deps.optOuts,
    effect: (run) => runEffect(running, deps, run),
    session: async (who) => (await openSession(deps.session, who, deps)).value,
    async enter(who, made, input) {
      const key = keyFrom(item.number, item.cause, slots.next(`to:${who.customer}/enter`))
      const entry = { ...who, ...entryOf(made, input, deps.routes), key, at: deps.clock.service() }
      if (!(await deps.store.recordEntry(entry, deps.clock.wall(), fence))) throw new AttemptOver('its lane was lost')
    },
    forgotten() {
      if (digitsOrAsWritten(customer) === item.customer) running.session?.forget()
    },
    sendCode: (code) => deps.sendCode({ ...code, delivery: item.delivery.deliveryId }),
    recordSend(content, given = {}) {
      const options = checkedInHandler(given)
      const slot = slots.next(`to:${digitsOrAsWritten(customer)}`)
      return recordFromHandler(running, deps, { to: customer, content, slot, options })
    },
  })
}

export function logOf(running: RunningAttempt, deps: AttemptDeps): Log {
  const { item } = running
  return (running.log ??= childLog(deps.log, {
    delivery: item.delivery.deliveryId,
    attempt: item.attempt,
    ...(item.customer !== undefined && { customer: deps.pseudonym(item.customer) }),
  }))
}

/** The slot of a send names its customer, who may be written in several ways. */
function digitsOrAsWritten(customer: string): string {
  try {
    return recipient(customer)
  } catch {
    // A customer who is no phone number is refused when the message is recorded.
    return customer
  }
}

function jsonOf(body: Uint8Array): unknown {
  const parsed = parseBody(body)
  return 'json' in parsed ? parsed.json : undefined
}

export class ContextOfCustomer extends BaseContext implements CustomerContext<Env> {
  readonly #session: OpenSession
  readonly customer: string
  readonly reply: (content: Content | Template, given?: ReplyOptions) => ReturnType<typeof recordReply>

  constructor(slots: Slots, session: OpenSession, running: RunningAttempt, deps: AttemptDeps) {
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
