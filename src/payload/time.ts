/** A time in milliseconds since the epoch. */
export interface Moment {
  readonly ms: number
  /** The text named a zone; without one, UTC is assumed. */
  readonly zoned: boolean
}

/**
 * Reads ISO 8601, and seconds, milliseconds or microseconds since the epoch, told apart by magnitude.
 * An incomplete date and a date that the calendar lacks are not read.
 */
export function momentOf(value: unknown): Moment | undefined {
  if (typeof value === 'number') return sinceEpoch(value)
  if (typeof value === 'string') return isEpoch(value) ? sinceEpoch(Number(value)) : fromIso(value)
  return value instanceof Date && !Number.isNaN(value.getTime()) ? { ms: value.getTime(), zoned: true } : undefined
}

/** Tells whether a payload can have this time: not before 2020, and at most a day ahead. */
export function isPlausible(ms: number, now: number): boolean {
  return ms >= EARLIEST && ms <= now + DAY
}

const EARLIEST = Date.UTC(2020)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const EPOCH = /^\d{1,17}(?:\.\d{1,9})?$/
function isEpoch(text: string): boolean {
  return text[4] !== '-' && EPOCH.test(text)
}

const BELOW_IS_SECONDS = 1e11
const BELOW_IS_MILLISECONDS = 1e14
const BELOW_IS_MICROSECONDS = 1e17

function sinceEpoch(count: number): Moment | undefined {
  if (!(count >= 0 && count < BELOW_IS_MICROSECONDS)) return undefined
  if (count < BELOW_IS_SECONDS) return { ms: Math.floor(count * 1000), zoned: true }
  return { ms: Math.floor(count < BELOW_IS_MILLISECONDS ? count : count / 1000), zoned: true }
}

const ISO = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)? ?(?:[Zz]|UTC|GMT|[+-]\d\d:?(?:\d\d)?)?$/
const MAX_ISO_LENGTH = 40
const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

// Not `Date.parse`: it assumes local time if no zone is given, and reads 30 February as 2 March.
function fromIso(text: string): Moment | undefined {
  if (text.length > MAX_ISO_LENGTH || !ISO.test(text)) return undefined
  const day = dayOf(text)
  const hour = digits(text, 11, 13)
  const minute = digits(text, 14, 16)
  const second = text[16] === ':' ? digits(text, 17, 19) : 0
  let end = text[16] === ':' ? 19 : 16
  let thousandths = 0
  if (text[end] === '.' || text[end] === ',')
    for (let unit = 100; isDigit(text.charCodeAt(++end)); unit /= 10)
      thousandths += (text.charCodeAt(end) - ZERO) * unit
  const zone = text.slice(text[end] === ' ' ? end + 1 : end)
  const hasOffset = zone[0] === '+' || zone[0] === '-'
  const offsetHours = hasOffset ? digits(zone, 1, 3) : 0
  const offsetMinutes = zone.length > 4 ? digits(zone, zone.length - 2, zone.length) : 0
  if (day === undefined || hour > 23 || minute > 59 || second > 59) return undefined
  if (offsetHours > 23 || offsetMinutes > 59) return undefined
  const utc = day + (hour * 60 + minute) * MINUTE + second * 1000 + Math.floor(thousandths)
  const offset = (offsetHours * 60 + offsetMinutes) * MINUTE
  return { ms: zone[0] === '-' ? utc + offset : utc - offset, zoned: zone !== '' }
}

/** The beginning of a text's day in UTC; undefined if the calendar has no such day. */
function dayOf(text: string): number | undefined {
  const year = digits(text, 0, 4)
  const month = digits(text, 5, 7)
  const day = digits(text, 8, 10)
  const date = (year * 100 + month) * 100 + day
  if (date === latestDate) return latestDay
  if (day < 1 || day > daysOf(year, month)) return undefined
  latestDate = date
  return (latestDay = Date.UTC(year, month - 1, day))
}

/** Nearly every time is of the same day as the one before it. */
let latestDate = 1970_01_01
let latestDay = 0

/** The number that the text's digits from `start` to `end` make: cheaper than to cut them out and convert them. */
function digits(text: string, start: number, end: number): number {
  let value = 0
  for (let i = start; i < end; i++) value = value * 10 + text.charCodeAt(i) - ZERO
  return value
}

const ZERO = 0x30

function isDigit(char: number): boolean {
  return char >= ZERO && char <= ZERO + 9
}

function daysOf(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && !isLeap ? 28 : (DAYS_OF_MONTHS[month - 1] ?? 0)
}
