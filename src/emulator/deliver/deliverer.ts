import { setMaxListeners } from 'node:events'
import { type DeliveryHeaders, deliveryHeaders } from '../../contract/index.ts'
import type { ServiceEvent } from '../events/event.ts'
import { isObject, parseJson } from '../http/json.ts'
import { byMs } from '../model/fault-rules.ts'
import type { Ids } from '../model/ids.ts'
import type { Schedule, TaskOf } from '../model/schedule.ts'
import { type AttemptsParts, createAttempts } from './attempts.ts'
import type { Attempt, Delivery } from './delivery.ts'
import { type SavedDelivery, createHistory, savedDelivery, wasSaved } from './history.ts'
import { createCourse } from './retries.ts'
import type { Redelivery } from './signed-request.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'

export interface DelivererParts extends AttemptsParts {
  readonly schedule: Schedule
  readonly ids: Ids
  readonly subscriptions: Subscriptions
  /** Is told each delivery that is new, changed or forgotten. */
  readonly deliveryChanged: (id: string) => void
}

/** Brings events to the subscriptions: at least once, in no promised order. */
export interface Deliverer {
  /** One delivery per active subscription, or to `only` that one; answers their ids. */
  deliver(event: ServiceEvent, only?: Subscription): string[]
  /** Does what was due later. */
  resume(task: TaskOf<'attempt' | 'release'>): void
  /** One more attempt of a delivery, by hand: it is recorded, and counts neither as a success nor as a failure. */
  redeliver(delivery: Delivery, how: Redelivery): Promise<Attempt>
  byId(id: string): Delivery | undefined
  /** What the signed headers are called. */
  readonly headerNames: DeliveryHeaders
  list(): readonly Delivery[]
  /** Calls `listener` after each change of a delivery; the answer stops that. */
  watch(listener: (delivery: Delivery) => void): () => void
  /** Aborted by `close`. */
  readonly closing: AbortSignal
  save(): readonly SavedDelivery[]
  saveOne(id: string): SavedDelivery | undefined
  close(): void
}

/** How long a delivery is held that another was to overtake. */
const HELD_MS = 2_000

export function createDeliverer(parts: DelivererParts, saved: readonly SavedDelivery[] = []): Deliverer {
  const { clock, schedule, subscriptions, assumptions } = parts
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const history = createHistory(() => clock.now(), parts.deliveryChanged)
  history.watch(({ id }) => parts.deliveryChanged(id))
  const attempts = createAttempts(parts, history, closing.signal)
  const begin = createCourse({ schedule, subscriptions, assumptions, history, attempts, closing: closing.signal })
  const held: Delivery[] = []

  const make = (told: ServiceEvent, subscription: Subscription): Delivery => {
    const { id: eventId, name: event, customer, message, body } = told
    const at = clock.now()
    const delivery: Delivery = {
      id: parts.ids.delivery(at),
      eventId,
      event,
      customer,
      message,
      body: attempts.faultAt('payload', { event, customer }) ? withUnknownFields(body) : body,
      subscription,
      at,
      state: 'pending',
      attempts: [],
      firstSignedAt: undefined,
      lastSigned: undefined,
    }
    history.add(delivery)
    history.changed(delivery)
    return delivery
  }

  /** At once, unless a fault lets it come late or be overtaken. */
  const beginInTime = (delivery: Delivery): void => {
    const fault = attempts.faultAt('timing', delivery)
    if (fault?.do === 'shuffle') return hold(delivery)
    if (fault === undefined) return void begin(delivery).then(release)
    const startedAt = schedule.elapsed()
    schedule.later(byMs(fault, '10m'), { do: 'attempt', deliveryId: delivery.id, retries: 0, startedAt })
  }

  const hold = (delivery: Delivery): void => {
    held.push(delivery)
    if (held.length === 1) schedule.later(HELD_MS, { do: 'release' })
  }

  const release = async (): Promise<void> => {
    for (const delivery of held.splice(0).toReversed()) await begin(delivery)
  }

  const deliver = (event: ServiceEvent, only?: Subscription): string[] => {
    const all = only ? [only] : subscriptions.list()
    const made = all.filter(({ state }) => state === 'active').map((subscription) => make(event, subscription))
    for (const delivery of made) beginInTime(delivery)
    const { name, customer } = event
    if (name !== UNKNOWN_EVENT && attempts.faultAt('beside', { event: name, customer })) deliver(unheardOf(event), only)
    return made.map(({ id }) => id)
  }

  const unheardOf = ({ customer, message }: ServiceEvent): ServiceEvent => {
    const id = parts.ids.event()
    return { id, name: UNKNOWN_EVENT, customer, message, body: Buffer.from(JSON.stringify(unknownPayload(id))) }
  }

  const load = (): void => {
    const later = new Set(schedule.save().tasks.map(({ task }) => (task.do === 'attempt' ? task.deliveryId : '')))
    for (const one of saved) history.add(wasSaved(one, subscriptions))
    // What was under way or held begins anew: at least once.
    for (const it of history.list()) if (it.state === 'pending' && !later.has(it.id)) void begin(it)
  }
  load()

  return {
    deliver(event, only) {
      history.tidy()
      return deliver(event, only)
    },
    resume(task) {
      if (task.do === 'release') return void release()
      const delivery = history.byId(task.deliveryId)
      if (delivery?.state === 'pending') void begin(delivery, task.retries, task.startedAt)
    },
    redeliver: attempts.again,
    byId: history.byId,
    headerNames: deliveryHeaders(parts.headerPrefix),
    list: history.list,
    watch: history.watch,
    closing: closing.signal,
    save: () => history.list().map(savedDelivery),
    saveOne(id) {
      const delivery = history.byId(id)
      return delivery && savedDelivery(delivery)
    },
    close() {
      closing.abort()
      history.unwatchAll()
    },
  }
}

const NEWS = { x_new_member: { since: 'tomorrow', levels: [1, 2, 3] }, x_new_flag: true }

/** The same payload with members that nobody has heard of, at its top and in each object directly below (GEN-10). */
export function withUnknownFields(body: Buffer): Buffer {
  const json = parseJson(body)
  if (!isObject(json)) return body
  const members = Object.entries(json).map(([name, value]) => [name, isObject(value) ? { ...value, ...NEWS } : value])
  return Buffer.from(JSON.stringify({ ...Object.fromEntries(members), ...NEWS }))
}

export const UNKNOWN_EVENT = 'conversation.labelled'

/** The payload of an event that the service does not have yet. */
export function unknownPayload(eventId: string): object {
  return { id: eventId, event: UNKNOWN_EVENT, data: { label: 'vip', colour: 'teal' } }
}
