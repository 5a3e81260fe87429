import { SwitchhookError } from '../base/errors.ts'

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

/** A day's spans: `'9:00-17:00'`, or several with commas between them. A day that is not named is closed. */
export type OpeningHours = { readonly [Day in (typeof DAYS)[number]]?: string } & {
  /** The zone by whose clocks on the wall the hours are meant, for instance `'Africa/Dar_es_Salaam'`. */
  readonly zone: string
  /** Closed whatever the day of the week: dates such as `'2026-12-25'`. */
  readonly holidays?: readonly string[]
}

/** Minutes from the day's midnight; past 1440 where it ends on the next day. */
interface Span {
  readonly from: number
  readonly to: number
}

const DAY_MINUTES = 1_440

/**
 * Whether it is open at a time. A span that ends at an earlier hour than it begins goes past midnight
 * (`fri: '18:00-2:00'`), and belongs to the day on which it begins, so to that day's holiday too. Open from the first
 * minute on, closed from the last; `'0:00-24:00'` is a whole day. Daylight saving is the zone's.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function openAt(hours: OpeningHours): (at: Date) => boolean {
  const { zone, holidays = [], ...days } = hours
  const wall = wallIn(zone)
  const unknown = Object.keys(days).find((name) => !DAYS.some((day) => day === name))
  if (unknown !== undefined) throw refuse(`there is no day "${unknown}"; there are ${DAYS.join(', ')}`)
  const week = DAYS.map((day) => spansIn(day, days[day]))
  const closed = new Set(holidays.map(dateIn))

  const within = (date: Date, minute: number) =>
    !closed.has(isoDate(date)) && week[date.getUTCDay()]?.some(({ from, to }) => from <= minute && minute < to) === true
  return (at) => {
    const { today, minute } = wall(at)
    const yesterday = new Date(today.getTime() - DAY_MINUTES * 60_000)
    return within(today, minute) || within(yesterday, minute + DAY_MINUTES)
  }
}

/** What calendar and clock on a wall of that zone show; the date as midnight in UTC, to reckon with. */
function wallIn(zone: string): (at: Date) => { today: Date; minute: number } {
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
    if (typeof zone !== 'string') throw new RangeError('no zone')
  } catch {
    throw refuse(`zone: expected a time zone such as 'Africa/Dar_es_Salaam', got ${JSON.stringify(zone)}`)
  }
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts
    return { today: new Date(Date.UTC(year, month - 1, day)), minute: hour * 60 + minute }
  }
}

function spansIn(day: string, text: string | undefined): readonly Span[] {
  if (text === undefined) return []
  // From plain JavaScript anything may come.
  const parts = typeof text === 'string' ? text.split(',') : ['']
  return parts.map((part) => {
    const match = /^\s*(\d{1,2}):(\d{2})\s*[-–]\s*(\d{1,2}):(\d{2})\s*$/.exec(part)
    const [from, to] = match ? [minutes(match[1], match[2]), minutes(match[3], match[4])] : []
    if (from === undefined || to === undefined || from === to)
      throw refuse(`${day}: expected spans such as '9:00-12:30, 14:00-18:00', got ${JSON.stringify(text)}`)
    return { from, to: to > from ? to : to + DAY_MINUTES }
  })
}

function minutes(hour: string | undefined, minute: string | undefined): number | undefined {
  const all = Number(hour) * 60 + Number(minute)
  return Number(minute) < 60 && all <= DAY_MINUTES ? all : undefined
}

function dateIn(text: string): string {
  const date = new Date(`${text}T00:00:00Z`)
  if (Number.isFinite(date.getTime()) && isoDate(date) === text) return text
  throw refuse(`holidays: expected dates such as '2026-12-25', got ${JSON.stringify(text)}`)
}

function isoDate(date: Date): string {
  return date.toISOString().slice(0, 10)
}

function refuse(why: string): SwitchhookError {
  return new SwitchhookError('options_invalid', `opening hours: ${why}`)
}
