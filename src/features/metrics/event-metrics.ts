import { Counter, Histogram, type Registry } from 'prom-client'
import { EVENTS } from '../../service/delivery.ts'
import type { Hooks, Observed } from '../../bot/report/observers.ts'
import { OWN_EVENTS } from '../../store/work/items.ts'

// The upper bounds of histogram buckets, from ordinary values to slow ones.

/** A delivery that is not stored within 4 s is answered with 503. */
const ACKNOWLEDGEMENT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
/** A commit has at most 256 operations. */
const COMMIT_OPERATIONS = [1, 2, 4, 8, 16, 32, 64, 128, 256]
/** From no wait to the backlog of a night. */
const WAIT_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 28_800]
/** The default deadline of an attempt is 30 s. Time in which the attempt waits for the service does not count. */
const HANDLER_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const SEND_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Each label has few values, the app's route names or our own words, because each value is a time series. */
export function eventMetrics(register: Registry): Hooks {
  const registers = [register]
  const make: Make = {
    counter: (name, help, labelNames = []) => new Counter({ name: `switchhook_${name}`, help, labelNames, registers }),
    histogram: (name, help, buckets, labelNames = []) =>
      new Histogram({ name: `switchhook_${name}`, help, buckets, labelNames, registers }),
  }
  return { ...deliveryHooks(make), ...attemptHooks(make), ...sendHooks(make), ...otherHooks(make) }
}

interface Make {
  counter(name: string, help: string, labels?: string[]): Counter
  histogram(name: string, help: string, buckets: number[], labels?: string[]): Histogram
}

function deliveryHooks(make: Make): Hooks {
  const deliveries = make.counter('deliveries_total', 'Deliveries with a valid signature, by outcome and by event.', [
    'outcome',
    'event',
  ])
  const refused = make.counter('requests_refused_total', 'Refused requests, by reason.', ['reason'])
  const acknowledgement = make.histogram(
    'acknowledgement_seconds',
    "From a delivery's headers to its answer.",
    ACKNOWLEDGEMENT_SECONDS,
  )
  // An alert uses the increase of this counter, so its series must begin at 0.
  refused.inc({ reason: 'mismatch' }, 0)
  const count =
    (outcome: string) =>
    ({ event, durationMs }: Observed) => {
      deliveries.inc({ outcome, event: knownEvent(event) })
      if (durationMs !== undefined) acknowledgement.observe(durationMs / 1_000)
    }
  return {
    accepted: count('accepted'),
    duplicate: count('duplicate'),
    quarantined: count('quarantined'),
    refused: ({ reason = 'unknown' }) => refused.inc({ reason }),
  }
}

function attemptHooks(make: Make): Hooks {
  const attempts = make.counter(
    'attempts_total',
    'Attempts at items, by outcome and by the route that handled the item or failed.',
    ['outcome', 'route'],
  )
  const parked = make.counter('deliveries_parked_total', 'Items that were parked, on arrival or by an attempt.')
  const dead = make.counter('deliveries_dead_total', 'Items that became dead letters.')
  const wait = make.histogram(
    'wait_seconds',
    "From a delivery's receipt to the start of its first attempt.",
    WAIT_SECONDS,
  )
  const handler = make.histogram(
    'handler_seconds',
    'Attempts at items with all their handlers, including the answers to their replies, by route.',
    HANDLER_SECONDS,
    ['route'],
  )
  const count =
    (outcome: string, total?: Counter) =>
    ({ attempt, route = 'none', waitedMs = 0, durationMs = 0 }: Observed) => {
      total?.inc()
      // The item was parked when its delivery arrived, so it has no attempt.
      if (attempt === undefined) return
      attempts.inc({ outcome, route })
      if (attempt === 1) wait.observe(waitedMs / 1_000)
      handler.observe({ route }, durationMs / 1_000)
    }
  return {
    handled: count('handled'),
    ignored: count('ignored'),
    rested: count('rested'),
    failed: count('failed'),
    parked: count('parked', parked),
    dead: count('dead', dead),
  }
}

const SEND_OUTCOMES = {
  send_accepted: 'accepted',
  fell_back: 'fell_back',
  send_retried: 'retried',
  send_refused: 'refused',
  send_unknown: 'unknown',
  send_held: 'held',
  send_skipped: 'skipped',
} as const satisfies Partial<Record<keyof Hooks, string>>

function sendHooks(make: Make): Hooks {
  const attempts = make.counter(
    'send_attempts_total',
    'Attempts at sends, and sends that ended without one, by outcome and by content.',
    ['outcome', 'via'],
  )
  const possiblyTwice = make.counter('sends_possibly_twice_total', 'Ended sends that may have arrived twice.')
  const diverged = make.counter('sends_diverged_total', 'Reruns that produced another text under a recorded key.')
  const seconds = make.histogram(
    'send_seconds',
    'Attempts at sends, until the service answered or the attempt ended.',
    SEND_SECONDS,
  )
  for (const outcome of Object.values(SEND_OUTCOMES))
    for (const via of ['freeform', 'template']) attempts.inc({ outcome, via }, 0)
  const count =
    (outcome: string) =>
    ({ via = 'freeform', durationMs, send }: Observed) => {
      attempts.inc({ outcome, via })
      if (durationMs !== undefined) seconds.observe(durationMs / 1_000)
      const hasEnded = outcome === 'accepted' || outcome === 'unknown' || outcome === 'refused'
      if (hasEnded && send?.possiblyTwice) possiblyTwice.inc()
    }
  const hooks = Object.entries(SEND_OUTCOMES).map(([hook, outcome]) => [hook, count(outcome)] as const)
  return { ...Object.fromEntries(hooks), diverged: () => diverged.inc() }
}

/** Alerts use the increase of these alarms, so their series begin at 0. */
const ALARMS = [
  'failures_in_a_row',
  'wrong_secret_suspected',
  'store_unavailable',
  'store_damaged',
  'secrets_unavailable',
  'numbers_unavailable',
  'lost_runs',
]

function otherHooks(make: Make): Hooks {
  const alarms = make.counter('alarms_total', 'Alarms, by their code.', ['alarm'])
  const operations = make.histogram('commit_operations', 'Operations that shared one commit.', COMMIT_OPERATIONS)
  const seconds = make.histogram(
    'commit_seconds',
    'Commits of the database, from their start until they were on disk.',
    COMMIT_SECONDS,
  )
  for (const alarm of ALARMS) alarms.inc({ alarm }, 0)
  return {
    // `reason` is a code, and after a colon a value such as seconds. A label for each value would be too many.
    alarm: ({ reason = 'unknown' }) => alarms.inc({ alarm: reason.split(':', 1)[0] ?? reason }),
    committed({ operations: count = 1, durationMs = 0 }) {
      operations.observe(count)
      seconds.observe(durationMs / 1_000)
    },
  }
}

const KNOWN_EVENTS: ReadonlySet<string> = new Set([
  ...Object.keys(EVENTS),
  ...Object.values(OWN_EVENTS).map(({ event }) => event),
])

/** The event is read from a header that is not signed, so a sender could invent any number of labels. */
function knownEvent(event = 'unknown'): string {
  return KNOWN_EVENTS.has(event) ? event : 'other'
}
