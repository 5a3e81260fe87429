import { SwitchhookError } from './errors.ts'

/** A span of time: `'90s'`, `'25h'`, or a number of milliseconds. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

const MILLISECONDS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * Converts a span to milliseconds; `name` is the option or argument that held it.
 *
 * @throws SwitchhookError `options_invalid` if it is malformed or below zero.
 */
export function toMs(span: Duration, name = 'duration'): number {
  if (typeof span === 'number' && Number.isFinite(span) && span >= 0) return span
  const parts = typeof span === 'string' ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(span.trim()) : null
  if (parts) return Number(parts[1]) * MILLISECONDS[parts[2] as keyof typeof MILLISECONDS]
  throw new SwitchhookError(
    'options_invalid',
    `${name}: expected a span such as '90s', '25h' or a number of milliseconds, got ${JSON.stringify(span)}`,
  )
}
