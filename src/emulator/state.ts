import type { Random, Timers } from '../base/clock.ts'
import { type Agent, createAgent } from './model/agent.ts'
import type { Assumptions } from './model/assumptions.ts'
import { createDeliverer, type Deliverer } from './deliver/deliverer.ts'
import type { Post } from './deliver/post.ts'
import { attemptOutcome } from './deliver/delivery.ts'
import { createSubscriptions, type Subscriptions } from './deliver/subscriptions.ts'
import { createEventLog, type EventLog } from './events/log.ts'
import { createFaults, type Faults } from './model/faults.ts'
import { type Calls, createCalls } from './service/calls.ts'
import { createIds, type Ids, seededRandom, type SeededRandom } from './model/ids.ts'
import { createPhones, type Phones } from './model/phones.ts'
import { type Account, createAccount } from './model/account.ts'
import { createKeys, type Keys } from './model/keys.ts'
import type { KeySecret } from './model/key-record.ts'
import type { Snapshot } from './snapshot.ts'
import type { Happenings } from './timeline.ts'
import { createTemplates, type AllTemplates } from './model/templates.ts'
import { createEmulatorClock, type EmulatorClock } from './model/clock.ts'
import { createSchedule, type Schedule } from './model/schedule.ts'
import type { Task } from './model/schedule.ts'

/** Everything that the emulated service knows. A reset or a restore throws it away and makes a new one. */
export interface State {
  /** Switched while it runs: read anew each time. */
  readonly assumptions: Assumptions
  readonly account: Account
  readonly clock: EmulatorClock
  readonly schedule: Schedule
  readonly random: SeededRandom
  readonly ids: Ids
  readonly phones: Phones
  readonly agent: Agent
  readonly templates: AllTemplates
  readonly keys: Keys
  readonly faults: Faults
  readonly subscriptions: Subscriptions
  readonly events: EventLog
  readonly deliverer: Deliverer
  readonly calls: Calls
  /** Counts what takes turns: payload shapes, the case of a status. */
  readonly turn: Turn
  /** Says on the stream what happened. */
  readonly tell: Happenings['tell']
  close(): void
}

export type Turn = { received: number; status: number; declared: number; case: number }

/** What a snapshot holds many of. */
export type Collection = 'phones' | 'keys' | 'events' | 'deliveries'

/** What changes one at a time: also what stands in the threads. */
export type Changing = Collection | 'items'

export interface StateParts {
  readonly assumptions: Assumptions
  readonly accessToken: string
  readonly headerPrefix: string
  readonly post?: Post | undefined
  readonly seed: number
  readonly timers: Timers
  readonly wall: () => Date
  readonly start: Date | undefined
  readonly keySecret: KeySecret
  readonly tell: Happenings['tell']
  /** Does what was due later. */
  readonly perform: (task: Task) => void
  /** Is told what changed, so that it can be saved. */
  readonly changed: (what: Changing, id: string) => void
}

/** With `saved` it goes on as it was then, at the time that it was then. */
export function createState(parts: StateParts, saved?: Snapshot): State {
  const { timers, changed } = parts
  let isOver = false
  // What is under way at a reset ends in a world that is gone: nobody is to hear of that.
  const tell: Happenings['tell'] = (kind, about) => {
    if (!isOver) parts.tell(kind, about)
  }
  const random = seededRandom(saved?.random ?? parts.seed)
  const assumptions = { ...parts.assumptions, ...saved?.assumptions }
  const clock = createEmulatorClock(parts.wall, parts.start, saved?.time.now)
  const now = () => clock.now()
  const schedule = createSchedule({ timers, wall: () => clock.wall(), perform: parts.perform }, saved?.schedule)
  const ids = createIds(random.next, saved?.lastUlid)
  const faults = createFaults(saved?.faults)
  const subscriptions = createSubscriptions(
    ids,
    ({ id, url, state, failures }) => tell('subscription', { subscription: { id, url, state, failures } }),
    saved?.subscriptions,
  )
  const deliverer = createDeliverer(
    {
      ...parts,
      assumptions,
      clock,
      schedule,
      ids,
      faults,
      subscriptions,
      deliveryChanged: (id) => changed('deliveries', id),
    },
    saved?.deliveries,
  )
  deliverer.watch(({ id, event, customer = null, message = null, state, attempts }) => {
    const last = attempts.at(-1)
    const about = { id, event, customer, message, state, attempts: attempts.length }
    tell('delivery', { delivery: { ...about, ...(last && { last: attemptOutcome(last) }) } })
  })
  return {
    assumptions,
    account: createAccount(parts.accessToken, saved?.account),
    clock,
    schedule,
    random,
    ids,
    phones: createPhones(
      {
        changed(customer, itemId) {
          changed('phones', customer)
          if (itemId !== undefined) changed('items', itemId)
        },
        // As it is now: what is told once does not change with the message.
        tell: (customer, item) => tell('thread', { customer, item: { ...item } }),
      },
      saved?.phones,
    ),
    agent: createAgent(now, saved?.agent),
    templates: createTemplates(ids, saved?.templates),
    keys: createKeys({ now, assumptions, secret: parts.keySecret, changed: (id) => changed('keys', id) }, saved?.keys),
    faults,
    subscriptions,
    events: createEventLog(now, (id) => changed('events', id), saved?.events),
    deliverer,
    calls: createCalls(),
    turn: saved ? { ...saved.turn } : firstTurn(random.next),
    tell,
    close() {
      isOver = true
      schedule.clear()
      deliverer.close()
    },
  }
}

function firstTurn(random: Random): Turn {
  const any = () => Math.floor(random() * 1_000)
  return { received: any(), status: any(), declared: any(), case: any() }
}
