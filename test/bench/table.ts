/**
 * What the bench must show: each figure with its target. A speed is the other's CPU per request ÷ ours, so higher is
 * better; a cost is ours ÷ ours elsewhere, so lower is better.
 */
import type { TurnName } from './ratios.ts'

export type Section =
  | 'plain'
  | 'reply'
  | 'peers'
  | 'insert'
  | 'forgery'
  | 'counts'
  | 'payload'
  | 'saturation'
  | 'ids'
  | 'storm'
  | 'memory'
  | 'file'

export interface Line {
  readonly section: Section
  readonly what: string
  readonly against: string
  readonly atLeast?: number
  readonly atMost?: number
  readonly aim?: number
  /** Of a speed: ours, and whose CPU is divided by it. */
  readonly turns?: readonly [ours: TurnName, other: TurnName]
}

const PLAIN = 'Express with `express.raw` and an HMAC, nothing stored'

export const LINES = {
  plain: {
    section: 'plain',
    what: 'in Express',
    against: PLAIN,
    atLeast: 0.6,
    aim: 0.75,
    turns: ['ours', 'plain'],
  },
  reply: {
    section: 'reply',
    what: 'in Express, one reply a delivery',
    against: 'the same, and one `fetch` a delivery to the service',
    atLeast: 0.55,
    aim: 0.75,
    turns: ['ours-reply', 'plain-reply'],
  },
  stripe: {
    section: 'peers',
    what: 'in Express',
    against: 'stripe: `constructEvent` in Express, nothing stored',
    atLeast: 0.95,
    aim: 1.1,
    turns: ['ours', 'stripe'],
  },
  standardwebhooks: {
    section: 'peers',
    what: 'in Express',
    against: 'standardwebhooks: `verify` in Express, nothing stored',
    atLeast: 0.95,
    aim: 1.1,
    turns: ['ours', 'standardwebhooks'],
  },
  bolt: {
    section: 'peers',
    what: 'in Express',
    against: 'Bolt: `HTTPReceiver` on node:http, nothing stored',
    atLeast: 0.95,
    aim: 1.1,
    turns: ['ours', 'bolt'],
  },
  grammy: {
    section: 'peers',
    what: 'in Express',
    against: 'grammY: `webhookCallback` in Express, a token and no signature, nothing stored',
    atLeast: 0.95,
    aim: 1.1,
    turns: ['ours', 'grammy'],
  },
  octokit: {
    section: 'peers',
    what: 'in Express',
    against: 'octokit: `createNodeMiddleware` on node:http, nothing stored',
    atLeast: 0.65,
    aim: 0.8,
    turns: ['ours', 'octokit'],
  },
  insert: {
    section: 'insert',
    what: 'in Express',
    against: 'Express with `express.raw`, an HMAC and one insert a request into SQLite (WAL, FULL)',
    atLeast: 1.4,
    aim: 2,
    turns: ['ours', 'insert'],
  },
  forgery: {
    section: 'forgery',
    what: 'a forgery refused',
    against: 'the plain receiver refusing it',
    atLeast: 0.85,
    aim: 1,
    turns: ['ours refusing', 'plain refusing'],
  },
  forgeryWrites: {
    section: 'counts',
    what: 'rows and commits of forgeries',
    against: 'counted',
    atMost: 0,
  },
  statements: {
    section: 'counts',
    what: 'statements a delivery',
    against: 'counted at 64 connections',
    atMost: 11,
    aim: 8,
  },
  batch: { section: 'counts', what: 'deliveries a commit', against: 'counted at 64 connections', atLeast: 40, aim: 60 },
  rows: { section: 'counts', what: 'rows written a delivery', against: 'counted by SQLite, without indexes' },
  payload: {
    section: 'payload',
    what: 'a payload read, its shape seen before',
    against: '`JSON.parse` of the same bytes',
    atLeast: 0.5,
    aim: 0.8,
  },
  keepsUp: {
    section: 'saturation',
    what: 'handled within ten seconds at saturation',
    against: 'acknowledged within them',
    atLeast: 0.8,
  },
  perSecond: { section: 'saturation', what: 'acknowledged a second at saturation', against: PLAIN },
  handledPerSecond: { section: 'saturation', what: 'handled a second at saturation', against: PLAIN },
  ids: {
    section: 'ids',
    what: 'CPU of a delivery with a million known ids',
    against: 'with none',
    atMost: 1.15,
  },
  storm: {
    section: 'storm',
    what: 'CPU of 10,000 messages of one customer',
    against: 'of 10,000 customers',
    atMost: 1.5,
  },
  heap: {
    section: 'memory',
    what: 'heap after a collection, at 100,000 deliveries',
    against: 'at 10,000',
    atMost: 1.1,
  },
  file: { section: 'file', what: 'kB of the file a delivery', against: 'with its bytes of 1 KB', atMost: 2.65 },
  pruned: {
    section: 'file',
    what: 'kB of the file in use a delivery',
    against: 'once its bytes are pruned',
    atMost: 2.65,
  },
} as const satisfies Record<string, Line>

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
