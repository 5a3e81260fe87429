/** A time in milliseconds since the epoch, and whether its text named a zone. */
export interface Moment {
  readonly ms: number
  readonly zoned: boolean
}

/**
 * Reads seconds, milliseconds or microseconds since the epoch, told apart by magnitude, and ISO 8601.
 * Without a zone UTC is assumed and said so. What is cut, or no date of the calendar, is not read.
 */
export function momentOf(value: unknown): Moment | undefined {
  if (typeof value === 'number') return sinceEpoch(value)
  if (typeof value === 'string') return EPOCH.test(value) ? sinceEpoch(Number(value)) : fromIso(value)
  return value instanceof Date && !Number.isNaN(value.getTime()) ? { ms: value.getTime(), zoned: true } : undefined
}

/** Whether a time can be a payload's: not before 2020, and at most a day ahead. */
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

const ISO = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)? ?(?:([Zz])|([+-])(\d\d):?(\d\d)?)?$/
const LONGEST_ISO = 40
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

// `Date.parse` reads local time where no zone is given, and 30 February as 2 March.
function fromIso(text: string): Moment | undefined {
  const parts = text.length <= LONGEST_ISO ? ISO.exec(text) : null
  if (!parts) return undefined
  const [, year, month, day, hour, minute, second = '0', fraction = '', z, sign, aheadHours = '0', aheadMinutes = '0'] =
    parts
  if (Number(day) < 1 || Number(day) > daysOf(Number(year), Number(month))) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  if (Number(aheadHours) > 23 || Number(aheadMinutes) > 59) return undefined
  const thousandths = fraction === '' ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'))
  const clock = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    thousandths,
  )
  const ahead = (Number(aheadHours) * 60 + Number(aheadMinutes)) * MINUTE
  return { ms: sign === '-' ? clock + ahead : clock - ahead, zoned: z !== undefined || sign !== undefined }
}

function daysOf(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && !isLeap ? 28 : (DAYS[month - 1] ?? 0)
}
