/**
 * The cost of hooks, metrics, and spans that nobody records, for each delivery. All that a bot tells its hooks of one
 * delivery with one reply, each with its own commit, in one process and turn by turn: without a hook, with hooks that
 * do nothing, with the metrics, and with a tracer where no SDK is registered.
 */
import { Registry } from 'prom-client'
import { silent } from '../../src/base/log.ts'
import { eventMetrics } from '../../src/features/metrics/event-metrics.ts'
import { createObservers, type Hooks, type Observed } from '../../src/bot/report/observers.ts'
import { createTracer } from '../../src/features/tracing/spans.ts'
import { median } from './rounds.ts'
import type { SendRow } from '../../src/store/database/outbox-tables.ts'
import type { StartedItem } from '../../src/store/work/items.ts'

const ROUNDS = Number(process.argv[2] ?? 15)
const DELIVERIES = Number(process.argv[3] ?? 20_000)

const nothing = () => {}
const HOOKS = { accepted: nothing, handled: nothing, send_accepted: nothing, committed: nothing } satisfies Hooks

const send = { possiblyTwice: false } as Observed['send'] & object

function observersWith(hooks: Hooks | undefined) {
  const observers = createObservers(silent)
  if (hooks) observers.add(hooks)
  return () => {
    const about = { deliveryId: '01J8ZQ', event: 'message.received', number: 'default' }
    observers.notify('committed', { operations: 1, durationMs: 2.1 })
    observers.notify('accepted', { ...about, durationMs: 3.2 })
    observers.notify('send_accepted', { ...about, send, via: 'freeform', attempt: 1, durationMs: 42.5 })
    observers.notify('handled', { ...about, route: 'hears:hours|saa', attempt: 1, waitedMs: 3.1, durationMs: 45.2 })
    observers.notify('committed', { operations: 3, durationMs: 2.1 })
  }
}

/** The four spans of a delivery with one reply. */
function unrecorded() {
  const tracer = createTracer(undefined)
  const delivery = { event: 'message.received', deliveryId: '01J8ZQ', subscription: 'default' }
  const item = { delivery, number: 'default', attempt: 1, earlier: [] } as unknown as StartedItem
  const row = { id: '01J8ZR', number: 'default', attempts: 1, via: 'freeform' } as SendRow
  return () => {
    const receive = tracer.begins('receive', undefined)
    receive.reads(delivery)
    const { context: trace } = receive
    tracer.begins('ingest', { ...delivery, trace }).ends([])
    tracer.begins('attempt', item).ends(undefined)
    tracer.begins('send', row).ends(undefined)
    tracer.current()
    receive.ends(undefined)
  }
}

const ways = {
  'no hook': observersWith(undefined),
  'hooks that do nothing': observersWith(HOOKS),
  metrics: observersWith(eventMetrics(new Registry())),
  'spans without an SDK': unrecorded(),
}

const spans = Object.fromEntries(Object.keys(ways).map((way) => [way, [] as number[]]))
for (let round = 0; round < ROUNDS; round++)
  for (const [way, tell] of Object.entries(ways)) {
    const { user, system } = process.cpuUsage()
    for (let delivery = 0; delivery < DELIVERIES; delivery++) tell()
    const used = process.cpuUsage()
    spans[way]?.push((used.user + used.system - user - system) / DELIVERIES)
  }

for (const [way, each] of Object.entries(spans)) console.log(`${way}: ${median(each).toFixed(2)} µs of CPU a delivery`)
