/**
 * The figures that the bench must show, each with its target. A speed is the other's CPU per request ÷ ours, so higher is
 * better; a cost is ours ÷ ours elsewhere, so lower is better.
 */
import type { TurnName } from './schemes.ts'

export const SECTIONS = [
  'plain',
  'reply',
  'peers',
  'insert',
  'forgery',
  'counts',
  'payload',
  'saturation',
  'tail',
  'ids',
  'storm',
  'memory',
  'file',
  'desk',
] as const

export type Section = (typeof SECTIONS)[number]

export interface Line {
  readonly section: Section
  readonly what: string
  readonly against: string
  readonly atLeast?: number
  readonly atMost?: number
  readonly aim?: number
  /** Of a speed: ours, and whose CPU is divided by it. */
  readonly turns?: readonly [ours: TurnName, other: TurnName]
  /** Its name in the chart. */
  readonly label?: string
}

const PLAIN = 'Express with `express.raw` and an HMAC, nothing stored'
const COUNTED = 'counted at 64 connections'

export const LINES = {
  plain: {
    ...speed('plain', ['ours', 'plain'], 0.6, 0.75),
    against: PLAIN,
    label: 'Express and an HMAC, stores nothing',
  },
  reply: {
    ...speed('reply', ['ours-reply', 'plain-reply'], 0.68, 0.75),
    what: 'in Express, one reply a delivery',
    against: 'the same, and one `fetch` a delivery to the service',
    label: 'the same, one reply a delivery',
  },
  stripe: {
    ...speed('peers', ['ours', 'stripe'], 0.95, 1.1),
    against: 'stripe: `constructEvent` in Express, nothing stored',
    label: 'stripe, stores nothing',
  },
  standardwebhooks: {
    ...speed('peers', ['ours', 'standardwebhooks'], 0.95, 1.1),
    against: 'standardwebhooks: `verify` in Express, nothing stored',
    label: 'standardwebhooks, stores nothing',
  },
  bolt: {
    ...speed('peers', ['ours', 'bolt'], 0.95, 1.1),
    against: 'Bolt: its `HTTPReceiver`, without Express, nothing stored',
    label: 'Bolt, stores nothing',
  },
  grammy: {
    ...speed('peers', ['ours', 'grammy'], 0.95, 1.1),
    against: 'grammY: `webhookCallback` in Express, compares a token and verifies no body, nothing stored',
    label: 'grammY, a token alone, stores nothing',
  },
  octokit: {
    ...speed('peers', ['ours', 'octokit'], 0.65, 0.8),
    against: 'octokit: `createNodeMiddleware`, without Express, nothing stored',
    label: 'octokit, no Express, stores nothing',
  },
  insert: {
    ...speed('insert', ['ours', 'insert'], 1.8, 2.2),
    against: 'Express with `express.raw`, an HMAC and one insert a request into SQLite (WAL, FULL)',
    label: 'Express, HMAC, one SQLite insert',
  },
  forgery: {
    ...speed('forgery', ['ours refusing', 'plain refusing'], 0.85, 1),
    what: 'a forgery refused',
    against: 'the plain receiver refusing it',
    label: 'Express and an HMAC, a forgery',
  },
  forgeryWrites: { section: 'counts', what: 'rows written in a run of forgeries', against: COUNTED, atMost: 0 },
  statements: { section: 'counts', what: 'statements a delivery', against: COUNTED, atMost: 6, aim: 5 },
  batch: { section: 'counts', what: 'deliveries a commit', against: COUNTED, atLeast: 40, aim: 60 },
  rows: { section: 'counts', what: 'rows written a delivery', against: 'counted by SQLite, without those of indexes' },
  payload: reading('a payload read, its shape seen before', 7, 5),
  payloadMembers: reading('a payload of as many bytes, in some thirty members', 6, 4),
  payloadFirst: reading('a payload read, its shape never seen', 8, 5),
  payloadWide: reading('of 1 MB with 80,000 members', 50),
  payloadDeep: reading('of 1 MB with 1,000 nests of 150 objects', 50),
  payloadLongKeys: reading('of 1 MB with keys of 10,000 characters', 50),
  keepsUp: {
    section: 'saturation',
    what: 'handled in ten seconds of saturation',
    against: 'acknowledged in them',
    atLeast: 0.8,
  },
  acknowledged: { section: 'saturation', what: 'requests a second at saturation', against: PLAIN },
  handled: { section: 'saturation', what: 'the same, handled', against: PLAIN },
  tail: {
    section: 'tail',
    what: '99 of 100 answers at 60 % of our saturation',
    against: `${PLAIN}, at that rate`,
    atMost: 6,
    aim: 4,
  },
  ids: { section: 'ids', what: 'CPU of a delivery, many ids known', against: 'none known', atMost: 1.15 },
  storm: {
    section: 'storm',
    what: 'CPU of a storm: 10,000 messages of one customer',
    against: 'of 10,000',
    atMost: 1.5,
  },
  heap: { section: 'memory', what: 'heap at 100,000 deliveries, collected', against: 'at 10,000', atMost: 1.1 },
  file: { section: 'file', what: 'kB of the file for each delivery', against: 'with its bytes', atMost: 2.65 },
  deskCpu: {
    section: 'desk',
    what: 'CPU of a delivery and its reply, 200 a second, 50 desks open',
    against: 'no desk open',
    atMost: 1.15,
  },
  deskAnswer: { section: 'desk', what: '99 of 100 answers', against: 'no desk open', atMost: 1.5 },
  deskHeap: { section: 'desk', what: 'heap after 20,000 events, 50 desks open', against: 'after 2,000', atMost: 1.2 },
  deskPageHeap: { section: 'desk', what: 'heap of a page of the desk', against: 'after 2,000', atMost: 1.2 },
  pruned: { section: 'file', what: 'kB in use for each delivery', against: 'its bytes pruned', atMost: 0.5 },
} as const satisfies Record<string, Line>

function reading(what: string, atMost: number, aim?: number) {
  const against = '`JSON.parse` of the same bytes'
  return { section: 'payload', what, against, atMost, ...(aim !== undefined && { aim }) } as const
}

function speed<const T extends Line['turns']>(section: Section, turns: T, atLeast: number, aim: number) {
  return { section, what: 'in Express', turns, atLeast, aim }
}

export type Key = keyof typeof LINES

export const KEYS = Object.keys(LINES) as Key[]

/** A figure with what is to be said of it beside: its spread, the rounds left out, absolute numbers. */
export interface Measured {
  readonly key: Key
  readonly value: number
  readonly note?: string
}

export function lineOf(key: Key): Line {
  return LINES[key]
}

/** True or false by the target; undefined if there is none. */
export function isMet({ key, value }: Measured): boolean | undefined {
  const { atLeast, atMost } = lineOf(key)
  if (atLeast !== undefined) return value >= atLeast
  return atMost === undefined ? undefined : value <= atMost
}

export function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
