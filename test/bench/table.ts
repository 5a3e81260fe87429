/** What the bench must show: each figure with its target. A speed ratio is the other's CPU ÷ ours: higher is better. */
export interface Line {
  readonly section: Section
  readonly what: string
  readonly against: string
  readonly atLeast?: number
  readonly atMost?: number
  readonly aim?: number
  /** A ratio of speeds, which the chart shows. */
  readonly isSpeed?: true
}

export type Section = 'plain' | 'counts' | 'saturation'

export const LINES = {
  plain: {
    section: 'plain',
    what: 'in Express',
    against: 'Express with express.raw and an HMAC, nothing stored',
    atLeast: 0.6,
    aim: 0.75,
    isSpeed: true,
  },
  statements: {
    section: 'counts',
    what: 'statements a delivery',
    against: 'counted at 64 connections',
    atMost: 11,
    aim: 8,
  },
  batch: { section: 'counts', what: 'deliveries a commit', against: 'counted at 64 connections', atLeast: 40, aim: 60 },
  rows: { section: 'counts', what: 'row writes a delivery', against: 'counted by SQLite, without indexes' },
  keepsUp: {
    section: 'saturation',
    what: 'handled within ten seconds of saturation',
    against: 'acknowledged within them',
    atLeast: 0.8,
  },
  perSecond: {
    section: 'saturation',
    what: 'acknowledged a second at saturation',
    against: 'the same of Express with express.raw and an HMAC',
  },
  handledPerSecond: {
    section: 'saturation',
    what: 'handled a second at saturation',
    against: 'the same of Express with express.raw and an HMAC',
  },
} as const satisfies Record<string, Line>

export type Key = keyof typeof LINES

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
