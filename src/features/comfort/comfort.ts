/** Optional helpers that many bots need. */
import { optionsInvalid, type SwitchhookError } from '../../base/errors.ts'
import { type LocalTime, localTime } from '../../bot/hours.ts'
import { contentFor, type Told } from '../../bot/routes/told.ts'
import type { Env, MessageContext, Next } from '../../bot/switchhook.ts'

export { contacts, type ContactsOptions } from './contacts.ts'
export { type OptOutWordOptions, optOuts } from './opt-outs.ts'
export type { Told } from '../../bot/routes/told.ts'
export * from '../../built-in/helpers.ts'
export { argentina, brazil, mexico } from '../../bot/same-customer.ts'

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

/** The hours of each day: `'9:00-17:00'`, or several spans separated by commas. A day without hours is closed. */
export type OpeningHours = { readonly [Day in (typeof DAYS)[number]]?: string } & {
  /** The time zone of the hours, such as `'Africa/Dar_es_Salaam'`. */
  readonly zone: string
  /** Dates without opening hours, such as `'2026-12-25'`. */
  readonly holidays?: readonly string[]
}

/**
 * A middleware that replies outside opening hours.
 *
 *     bot.use(openingHours({ zone: 'Africa/Dar_es_Salaam', mon: '9:00-17:00', sat: '9:00-13:00' }, 'We are closed.'))
 *
 * The first run of a message stores whether the business is open. A rerun uses the stored result, even after opening.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function openingHours<C extends MessageContext<Env>>(
  hours: OpeningHours,
  closed: Told<C>,
): (ctx: C, next: Next) => Promise<void> {
  const isOpen = openAt(hours)
  return async (ctx, next) => {
    if (await ctx.once('open', () => isOpen(ctx.now()))) return next()
    await ctx.reply(await contentFor(closed, ctx))
  }
}

/** In minutes since midnight. `to` is above 1440 if the span ends on the next day. */
interface Span {
  readonly from: number
  readonly to: number
}

const DAY_MINUTES = 1_440

/**
 * Returns a function that tells whether a time is within opening hours. A span such as `fri: '18:00-2:00'` ends on the
 * next day. If the day on which it starts is a holiday, the whole span is closed. `'0:00-24:00'` is a whole day.
 *
 *     const isOpen = openAt({ zone: 'Africa/Dar_es_Salaam', mon: '9:00-17:00' })
 *     isOpen(ctx.now())
 *
 * @throws SwitchhookError `options_invalid`
 */
export function openAt(hours: OpeningHours): (at: Date) => boolean {
  const { zone, holidays = [], ...days } = hours
  const localTime = localTimeIn(zone)
  const unknown = Object.keys(days).find((name) => !DAYS.some((day) => day === name))
  if (unknown !== undefined) throw refuse(`the day "${unknown}" does not exist; the days are ${DAYS.join(', ')}`)
  const week = DAYS.map((day) => spansIn(day, days[day]))
  const closed = new Set(holidays.map(dateIn))

  const within = (date: Date, minute: number) =>
    !closed.has(isoDate(date)) && week[date.getUTCDay()]?.some(({ from, to }) => from <= minute && minute < to) === true
  return (at) => {
    const { today, minute } = localTime(at)
    const yesterday = new Date(today.getTime() - DAY_MINUTES * 60_000)
    return within(today, minute) || within(yesterday, minute + DAY_MINUTES)
  }
}

/** @throws SwitchhookError `options_invalid` */
function localTimeIn(zone: string): (at: Date) => LocalTime {
  try {
    if (typeof zone !== 'string') throw new RangeError('no zone')
    localTime(zone, 0)
  } catch {
    throw refuse(`zone: expected a time zone such as 'Africa/Dar_es_Salaam', got ${JSON.stringify(zone)}`)
  }
  return (at) => localTime(zone, at)
}

function spansIn(day: string, text: string | undefined): readonly Span[] {
  if (text === undefined) return []
  // An app without TypeScript may pass any value.
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
  return optionsInvalid(`opening hours: ${why}`)
}
