/** All that goes wrong, by what the processes share: one file, or a server that each reaches over its own line. */
import type { Role } from '../../src/bot/bot-internals.ts'
import type { Failures } from '../powercut/disk.ts'
import type { Point } from './app.ts'
import type { Way } from './nodes.ts'

/** One of the processes, by its place in `Team`. */
export type Who = number

/** The kind of database beneath the processes; with nodes, most of them are on their own machines. */
export type Over = 'file' | 'server' | 'nodes'

/** The roles of all processes; those that receive come first. */
export type Team = readonly Role[]

// One of the receivers works too: what it stores, it begins in the same commit.
export const TEAMS: Readonly<Record<Over, Team>> = {
  file: ['both', 'both'],
  server: ['both', 'receive', 'work', 'work'],
  nodes: ['both', 'receive', 'receive', 'work', 'work', 'work'],
}

/** The processes of each node; the others are on the server's machine. */
export const NODES: readonly (readonly Who[])[] = [
  [1, 3],
  [2, 4],
]

export type Fault = ProcessFault | ServiceFault | FileFault | ServerFault

type ProcessFault =
  | { readonly kind: 'kill'; readonly who: readonly Who[] }
  /** The process ends at this passage of the point. */
  | { readonly kind: 'die'; readonly who: Who; readonly at: Point; readonly passage: number }
  /** An orderly stop. */
  | { readonly kind: 'stop'; readonly who: Who }
  /** The wall clock is `ahead` of where it would be, from now on: that of one process, or the machine's. */
  | { readonly kind: 'clock'; readonly who?: Who; readonly ahead: number }

type ServiceFault =
  /** Rules of the emulator's faults, each for its next few sends. */
  | { readonly kind: 'service'; readonly rule: Readonly<Record<string, unknown>> }
  /** The service takes so long for each send, until this fault's turn is over. */
  | { readonly kind: 'slow'; readonly upstreamMs: number }

export type FileFault =
  /** The process stands still for longer than its lease lasts, and holds no lock. */
  | { readonly kind: 'suspend'; readonly who: Who; readonly ms: number }
  /** Another process holds the write lock. */
  | { readonly kind: 'lock'; readonly ms: number }
  /** The next writes or syncs of this process fail; none does without the library of test/powercut. */
  | { readonly kind: 'disk'; readonly who: Who; readonly failures: Failures }
  /** Somebody removes the write-ahead log, or its index too; then this process is killed, and the other repairs it. */
  | { readonly kind: 'log'; readonly who: Who; readonly index: boolean }

export type ServerFault =
  /** The process stands still at this passage of the point, for longer than its lease lasts: another one takes over. */
  | { readonly kind: 'stand'; readonly who: Who; readonly at: Point; readonly passage: number; readonly ms: number }
  /** The process stands still, wherever it is, perhaps for longer than its lease lasts. */
  | { readonly kind: 'freeze'; readonly who: Who; readonly ms: number }
  /** The line of the process, or of the node with these, lets nothing through, and no connection breaks. */
  | { readonly kind: 'part'; readonly who: readonly Who[]; readonly way: Way; readonly ms: number }
  /** The line of the process breaks in its next commit, before the server hears of it or before it answers. */
  | { readonly kind: 'line'; readonly who: Who; readonly lost: 'commit lost' | 'answer lost' }
  /** The server ends connections: those of all processes, or of this one. */
  | { readonly kind: 'cut'; readonly who?: Who }
  /** The server ends at once, and is started again, or its standby takes over. */
  | { readonly kind: 'crash' | 'failover' }

export interface Chance {
  whole(from: number, to: number): number
  one<T>(of: readonly T[]): T
}

/** Each kind of fault at least once. */
export function deckOf(over: Over, chance: Chance): Fault[] {
  const { whole, one } = chance
  const { receivers, workers, all } = partsOf(TEAMS[over])
  const faults = {
    file: () => fileFaults(all, chance),
    server: () => [
      ...standing(workers, chance),
      ...serverFaults({ receivers, workers, lined: all }, chance),
      ...partedLines(receivers, workers, chance),
    ],
    nodes: () => [
      ...standing(workers, chance),
      ...serverFaults({ receivers, workers, lined: all.filter((who) => !NODES.flat().includes(who)) }, chance),
      ...partedNodes(chance),
    ],
  }
  const points = POINTS.map((at): Fault => {
    const who = one(at === 'accepted' ? receivers : workers)
    return { kind: 'die', who, at, passage: whole(1, 24 / all.length) }
  })
  return [
    ...faults[over](),
    ...points,
    { kind: 'stop', who: one(all) },
    ...SEND_FAULTS.map((rule): Fault => ({ kind: 'service', rule: { on: 'send', ...rule } })),
    { kind: 'slow', upstreamMs: 150 },
  ]
}

export function partsOf(team: Team): { receivers: Who[]; workers: Who[]; all: Who[] } {
  const all = [...team.keys()]
  return {
    receivers: all.filter((who) => team[who] !== 'work'),
    workers: all.filter((who) => team[who] !== 'receive'),
    all,
  }
}

function fileFaults(all: readonly Who[], { whole, one }: Chance): Fault[] {
  return [
    { kind: 'kill', who: [0] },
    { kind: 'kill', who: [1] },
    { kind: 'kill', who: [0, 1] },
    { kind: 'suspend', who: one(all), ms: LEASE_MS + 3_000 },
    { kind: 'lock', ms: whole(300, 1_000) },
    { kind: 'lock', ms: whole(1_000, 2_000) },
    { kind: 'disk', who: one(all), failures: { fsyncs: whole(1, 3), error: 'EIO' } },
    { kind: 'disk', who: one(all), failures: { writes: whole(1, 3), error: 'EIO' } },
    { kind: 'disk', who: one(all), failures: { writes: whole(3, 9), error: 'ENOSPC' } },
    { kind: 'log', who: one(all), index: false },
    { kind: 'log', who: one(all), index: true },
    // Two hours in both directions, and what a correction by NTP may do.
    ...[2 * HOUR_MS, -2 * HOUR_MS, whole(1, 20) * 1_000, 0].map((ahead): Fault => ({ kind: 'clock', ahead })),
  ]
}

interface Parts {
  readonly receivers: readonly Who[]
  readonly workers: readonly Who[]
  /** Those whose line can break in a commit. */
  readonly lined: readonly Who[]
}

function serverFaults({ receivers, workers, lined }: Parts, { whole, one }: Chance): Fault[] {
  const isLined = (who: Who) => lined.includes(who)
  const [receiving, working] = [receivers.filter(isLined), workers.filter(isLined)]
  return [
    { kind: 'kill', who: [one(receivers)] },
    { kind: 'kill', who: [one(workers)] },
    { kind: 'kill', who: [one(receivers.slice(1)), one(workers)] },
    { kind: 'freeze', who: one(workers), ms: LEASE_MS + whole(1_000, 3_000) },
    { kind: 'freeze', who: one(receivers.slice(1)), ms: whole(1_000, 4_000) },
    { kind: 'line', who: one(receiving), lost: 'commit lost' },
    { kind: 'line', who: one(receiving), lost: 'answer lost' },
    { kind: 'line', who: one(working), lost: 'commit lost' },
    { kind: 'line', who: one(working), lost: 'answer lost' },
    { kind: 'cut' },
    { kind: 'cut', who: one(workers) },
    { kind: 'crash' },
    { kind: 'failover' },
    // Machines whose clocks nobody keeps together; a signature is good for five minutes.
    ...[whole(1, 60), -whole(1, 60)].map(
      (seconds): Fault => ({ kind: 'clock', who: one([...receivers, ...workers]), ahead: seconds * 1_000 }),
    ),
  ]
}

/** At each point of a delivery and of a send. */
function standing(workers: readonly Who[], { whole, one }: Chance): Fault[] {
  return POINTS.map((at): Fault => {
    // The first one receives too, and stores.
    const who = at === 'accepted' ? (workers[0] as Who) : one(workers)
    return { kind: 'stand', who, at, passage: whole(1, 6), ms: LEASE_MS + whole(500, 2_000) }
  })
}

function partedLines(receivers: readonly Who[], workers: readonly Who[], { whole, one }: Chance): Fault[] {
  return [
    { kind: 'part', who: [one(workers)], way: 'both', ms: whole(3_000, LEASE_MS + 2_000) },
    { kind: 'part', who: [one(receivers.slice(1))], way: 'both', ms: whole(1_000, 8_000) },
  ]
}

/** Each node by turns, and in each way. */
function partedNodes({ whole, one }: Chance): Fault[] {
  const ways = (['both', 'to', 'from'] as const).map((way): Fault => {
    return { kind: 'part', who: one(NODES), way, ms: whole(1_000, 8_000) }
  })
  return [
    ...NODES.map((who): Fault => ({ kind: 'part', who, way: 'both', ms: LEASE_MS + whole(1_000, 4_000) })),
    ...ways,
  ]
}

/** How long a lease lasts, by the clock of its process. */
export const LEASE_MS = 10_000

/** The points that every message passes. The template and a late ingest have their own tests. */
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
  { do: 'late_answer', next: 2 },
  { do: 'unreadable_answer', next: 4 },
] as const

const HOUR_MS = 3_600_000
