import { optionsInvalid } from './errors.ts'

type Part = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** A span of time: `'90s'`, `'25h'`, `'23h59m'` with the larger unit first, or a number of milliseconds. */
export type Duration = number | Part | `${Part}${Part}` | `${Part}${Part}${Part}`

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const
const SPAN = new RegExp(`^${UNITS.map(([unit]) => String.raw`(?:(\d+(?:\.\d+)?)${unit})?`).join('')}$`)

/** `name`: the option's name, for the error. @throws SwitchhookError `options_invalid` if malformed or negative. */
export function toMs(span: Duration, name = 'duration'): number {
  if (typeof span === 'number' && Number.isFinite(span) && span >= 0) return span
  const [whole, ...counts] = (typeof span === 'string' && SPAN.exec(span.trim())) || []
  if (whole) return UNITS.reduce((sum, [, size], at) => sum + Number(counts[at] ?? 0) * size, 0)
  throw optionsInvalid(
    `${name}: expected a span such as '90s', '25h' or a number of milliseconds, got ${JSON.stringify(span)}`,
  )
}

export function shownMs(ms: number): number {
  return Math.round(ms * 10) / 10
}
