/** Hours of the day in which something may happen, in a time zone. They may extend over midnight. */
export interface Hours {
  readonly from: number
  readonly to: number
}

export interface LocalTime {
  /** The local date as midnight in UTC, for calculations. */
  readonly today: Date
  readonly minute: number
}

const DAY_MINUTES = 1_440
const MINUTE_MS = 60_000
/** The longest search for open hours. No clock change skips more than the hours of two days. */
const LONGEST_SEARCH = 3 * DAY_MINUTES

const formats = new Map<string, Intl.DateTimeFormat>()

/** @throws RangeError if the zone is unknown. */
export function localTime(zone: string, at: number | Date): LocalTime {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
    formats.set(zone, format)
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts
  return { today: new Date(Date.UTC(year, month - 1, day)), minute: hour * 60 + minute }
}

/**
 * Returns the next time at which the hours are open: `at` itself if they are open then. Hours that a clock change skips
 * open on the next day.
 */
export function nextOpening(hours: Hours, zone: string, at: number): number {
  if (isOpen(hours, zone, at)) return at
  const { minute } = localTime(zone, at)
  const start = Math.floor(at / MINUTE_MS) * MINUTE_MS
  const expected = start + ((hours.from - minute + DAY_MINUTES) % DAY_MINUTES) * MINUTE_MS
  if (isOpen(hours, zone, expected) && !isOpen(hours, zone, expected - MINUTE_MS)) return expected
  // Check each minute, because the clocks change before the expected time.
  for (let next = 1; next < LONGEST_SEARCH; next++) {
    const candidate = start + next * MINUTE_MS
    if (isOpen(hours, zone, candidate)) return candidate
  }
  return expected
}

export function isOpen({ from, to }: Hours, zone: string, at: number): boolean {
  const { minute } = localTime(zone, at)
  return from < to ? from <= minute && minute < to : minute >= from || minute < to
}

/** Returns the time at which `span` milliseconds of open time have passed. */
export function afterOpenTime(hours: Hours, zone: string, from: number, span: number): number {
  const each = ((hours.to - hours.from + DAY_MINUTES) % DAY_MINUTES) * MINUTE_MS
  const opened = nextOpening(hours, zone, from)
  const { minute } = localTime(zone, opened)
  const left = ((hours.to - minute + DAY_MINUTES) % DAY_MINUTES) * MINUTE_MS
  if (span <= left) return opened + span
  const days = Math.ceil((span - left) / each)
  const rest = span - left - (days - 1) * each
  return (
    opened +
    ((hours.from - minute + DAY_MINUTES) % DAY_MINUTES) * MINUTE_MS +
    (days - 1) * DAY_MINUTES * MINUTE_MS +
    rest
  )
}
