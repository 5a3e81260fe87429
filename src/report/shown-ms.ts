/** A span as the log shows it: to a tenth of a millisecond. */
export function shownMs(ms: number): number {
  return Math.round(ms * 10) / 10
}
