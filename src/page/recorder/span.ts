const UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** A span as a file says it, in its largest whole unit: `25h`, `90m`; beyond a minute to the second. */
export function spanOf(ms: number): string {
  const whole = ms >= 60_000 ? ms - (ms % 1_000) : Math.round(ms)
  const [name, size] = UNITS.find(([, size]) => whole % size === 0) ?? ['ms', 1]
  return `${whole / size}${name}`
}
