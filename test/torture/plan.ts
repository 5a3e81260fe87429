/** A seed's plan: the messages with all that happens to them on their way, and the faults with their moments. */
import { seededRandom } from '../../src/emulator/model/ids.ts'
import type { Failures } from '../powercut/disk.ts'
import type { Point } from './app.ts'

/** One of the two processes. */
export type Who = 0 | 1

/** All that goes wrong. Milliseconds are real, as an acceptance measures its wait for a lock; wall clocks run fast. */
export type Fault =
  | { readonly kind: 'kill'; readonly who: readonly Who[] }
  /** The process ends at this passage of the point. */
  | { readonly kind: 'die'; readonly who: Who; readonly at: Point; readonly passage: number }
  /** An orderly stop. */
  | { readonly kind: 'stop'; readonly who: Who }
  /** The process stands still for longer than its leases last. */
  | { readonly kind: 'suspend'; readonly who: Who; readonly ms: number }
  /** Another process holds the write lock. */
  | { readonly kind: 'lock'; readonly ms: number }
  /** The next writes or syncs of this process fail; none does without the library of test/powercut. */
  | { readonly kind: 'disk'; readonly who: Who; readonly failures: Failures }
  /** Somebody removes the write-ahead log, or its index too; then this process is killed, and the other mends it. */
  | { readonly kind: 'log'; readonly who: Who; readonly index: boolean }
  /** The wall clock of the machine is `ahead` of where it would be, from now on. */
  | { readonly kind: 'clock'; readonly ahead: number }
  /** Rules of the emulator's faults, each for its next few sends. */
  | { readonly kind: 'service'; readonly rule: Readonly<Record<string, unknown>> }
  /** The service takes so long for each send, until this fault's turn is over. */
  | { readonly kind: 'slow'; readonly upstreamMs: number }

/** Comes when so many deliveries are acknowledged, and the fault before it is over. */
export interface Planned {
  readonly after: number
  readonly fault: Fault
}

export interface PlannedMessage {
  readonly customer: string
  /** No other message has this text. */
  readonly text: string
  /** Payload time, in milliseconds after that of the first message. */
  readonly at: number
  readonly to: Who
  /** It comes a second time: with the first, or once that is acknowledged; perhaps to the other process. */
  readonly again: { readonly when: 'at once' | 'later'; readonly to: Who } | undefined
}

/** Messages of one customer that are posted together, or one after another. */
export interface Burst {
  readonly together: boolean
  readonly messages: readonly PlannedMessage[]
}

export interface Plan {
  readonly seed: number
  /** Each customer's bursts: one begins when the one before it is acknowledged. */
  readonly bursts: ReadonlyMap<string, readonly Burst[]>
  readonly faults: readonly Planned[]
  readonly keysRememberedFor: '24h' | 'until_settled'
}

export interface PlanSize {
  readonly deliveries: number
  readonly customers: number
  /** Acknowledged deliveries from one fault to the next. */
  readonly faultEvery: number
}

/** The points that every message passes. Those of the template and of a late ingest have tests of their own. */
const POINTS: readonly Point[] = [
  'accepted',
  'handling',
  'recording',
  'attempting',
  'in flight',
  'sent',
  'accepted by the service',
  'replied',
]

const SEND_FAULTS = [
  { do: 'status', status: 500, next: 6 },
  { do: 'status', status: 503, next: 6 },
  { do: 'status', status: 429, next: 4 },
  { do: 'status', status: 502, next: 1 },
  { do: 'cut_before', next: 6 },
  { do: 'time_out', next: 2 },
  { do: 'lose_answer', next: 6 },
  { do: 'cut_after', next: 6 },
  { do: 'late_answer', next: 2 },
  { do: 'half_answer', next: 4 },
  { do: 'unreadable_answer', next: 4 },
  { do: 'hold_key', answers: 2, next: 3 },
] as const

const HOUR_MS = 3_600_000
const DUPLICATES = 0.3
const LONGEST_BURST = 4
/** A straggler's payload time is so much older than those of its burst. */
const STRAGGLERS = 0.1
const STRAGGLES_BY_MS = 1_000

export function makePlan(seed: number, size: PlanSize): Plan {
  const random = seededRandom(seed).next
  const whole = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  const who = () => whole(0, 1) as Who
  return {
    seed,
    bursts: bursts(),
    faults: faults(),
    keysRememberedFor: seed % 2 === 0 ? '24h' : 'until_settled',
  }

  function bursts(): Map<string, Burst[]> {
    const all = new Map<string, Burst[]>()
    for (let made = 0; made < size.deliveries; ) {
      const customer = String(255_712_000_000 + whole(1, size.customers))
      const length = Math.min(whole(1, LONGEST_BURST), size.deliveries - made)
      const messages = Array.from({ length }, (_, index) => message(customer, made + index))
      const burst = { together: random() < 0.5, messages: shuffled(messages) }
      all.set(customer, [...(all.get(customer) ?? []), burst])
      made += length
    }
    return all
  }

  function message(customer: string, index: number): PlannedMessage {
    const at = 10 * index - (random() < STRAGGLERS ? STRAGGLES_BY_MS : 0)
    const again = random() < DUPLICATES ? { when: random() < 0.5 ? 'at once' : 'later', to: who() } : undefined
    return { customer, text: `message ${index}`, at, to: who(), again } as PlannedMessage
  }

  /** Each kind has its turn before any comes again, so that a short run has them all. */
  function faults(): Planned[] {
    const count = Math.max(0, Math.floor(size.deliveries / size.faultEvery) - 1)
    const all: Fault[] = []
    while (all.length < count) all.push(...shuffled(deck()))
    return all.slice(0, count).map((fault, index) => ({ after: (index + 1) * size.faultEvery, fault }))
  }

  function deck(): Fault[] {
    return [
      { kind: 'kill', who: [0] },
      { kind: 'kill', who: [1] },
      { kind: 'kill', who: [0, 1] },
      ...POINTS.map((at): Fault => ({ kind: 'die', who: who(), at, passage: whole(1, 12) })),
      { kind: 'stop', who: who() },
      { kind: 'suspend', who: who(), ms: 5_000 },
      { kind: 'lock', ms: whole(300, 1_000) },
      { kind: 'lock', ms: whole(1_000, 2_000) },
      { kind: 'disk', who: who(), failures: { fsyncs: whole(1, 3), error: 'EIO' } },
      { kind: 'disk', who: who(), failures: { writes: whole(1, 3), error: 'EIO' } },
      { kind: 'disk', who: who(), failures: { writes: whole(3, 9), error: 'ENOSPC' } },
      { kind: 'log', who: who(), index: false },
      { kind: 'log', who: who(), index: true },
      // Two hours in both directions, and what a correction by NTP may do.
      ...[2 * HOUR_MS, -2 * HOUR_MS, whole(1, 20) * 1_000, 0].map((ahead): Fault => ({ kind: 'clock', ahead })),
      ...SEND_FAULTS.map((rule): Fault => ({ kind: 'service', rule: { on: 'send', ...rule } })),
      { kind: 'slow', upstreamMs: 150 },
    ]
  }

  function shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((one) => [random(), one] as const)
      .sort(([a], [b]) => a - b)
      .map(([, one]) => one)
  }
}
