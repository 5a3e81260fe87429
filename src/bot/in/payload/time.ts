export interface Moment {
  readonly ms: number
  /** True if the text named a zone. Without one, UTC is assumed. */
  readonly zoned: boolean
}

/**
 * Reads ISO 8601, and seconds, milliseconds or microseconds since the epoch, distinguished by magnitude. An incomplete
 * date, or one that does not exist, is not read.
 */
export function momentOf(value: unknown): Moment | undefined {
  if (typeof value === 'number') return sinceEpoch(value)
  if (typeof value === 'string') return EPOCH.test(value) ? sinceEpoch(Number(value)) : fromIso(value)
  return value instanceof Date && !Number.isNaN(value.getTime()) ? { ms: value.getTime(), zoned: true } : undefined
}

/** True if a payload can have this time: not before 2020, and at most a day ahead. */
export function isPlausible(ms: number, now: number): boolean {
  return ms >= EARLIEST && ms <= now + DAY
}

const EARLIEST = Date.UTC(2020)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const EPOCH = /^\d{1,17}(?:\.\d{1,9})?$/

const BELOW_IS_SECONDS = 1e11
const BELOW_IS_MILLISECONDS = 1e14
const BELOW_IS_MICROSECONDS = 1e17

function sinceEpoch(count: number): Moment | undefined {
  if (!(count >= 0 && count < BELOW_IS_MICROSECONDS)) return undefined
  if (count < BELOW_IS_SECONDS) return { ms: Math.floor(count * 1000), zoned: true }
  return { ms: Math.floor(count < BELOW_IS_MILLISECONDS ? count : count / 1000), zoned: true }
}

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)? ?([Zz]|UTC|GMT|([+-])(\d\d):?(\d\d)?)?$/
const MAX_ISO_LENGTH = 40

// Not `Date.parse`: it assumes local time without a zone, and reads 30 February as 2 March.
function fromIso(text: string): Moment | undefined {
  const parts = text.length > MAX_ISO_LENGTH ? null : ISO.exec(text)
  if (!parts) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', zone, sign, offsetHours, offsetMinutes] = parts
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const isOfCalendar = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  if (!isOfCalendar || Number(hour) > 23 || Number(minute) > 59 || Number(second ?? 0) > 59) return undefined
  if (Number(offsetHours ?? 0) > 23 || Number(offsetMinutes ?? 0) > 59) return undefined
  const milliseconds = Number(fraction.padEnd(3, '0').slice(0, 3))
  const utc = date.getTime() + (Number(hour) * 60 + Number(minute)) * MINUTE + Number(second ?? 0) * 1000 + milliseconds
  const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * MINUTE
  return { ms: sign === '-' ? utc + offset : utc - offset, zoned: zone !== undefined }
}
