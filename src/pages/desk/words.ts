import { signal } from '@preact/signals'
import type { RefusalCode } from '../../admin/requests.ts'
import { ar } from './texts/ar.ts'
import { en, type TextName, type Texts } from './texts/en.ts'
import { sw } from './texts/sw.ts'

export type { TextName } from './texts/en.ts'

const BUILT_IN: Readonly<Record<string, Texts>> = { en, sw, ar }

const texts = signal<Texts>(en)

/** A text in the language of the desk, with `{name}` replaced by a value. */
export function t(name: TextName, values: Readonly<Record<string, string | number>> = {}): string {
  return texts.value[name].replace(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole))
}

/** For each code of a refusal: the text that the desk shows. */
export const REFUSED: Readonly<Record<RefusalCode, TextName>> = {
  invalid: 'refused_failed',
  unauthorized: 'signedOut',
  read_only: 'refused_may_not_write',
  not_revealed: 'refused_not_revealed',
  may_not_write: 'refused_may_not_write',
  may_not: 'refused_may_not_write',
  other_origin: 'refused_other_origin',
  not_found: 'refused_not_found',
  method_not_allowed: 'refused_failed',
  changed: 'refused_changed',
  unseen: 'unseenTitle',
  not_possible: 'refused_failed',
  no_wait: 'refused_no_wait',
  no_colleague: 'refused_no_colleague',
  no_snippet: 'refused_no_snippet',
  window_closed: 'refused_window_closed',
  not_allowed: 'refused_not_allowed',
  not_fitting: 'refused_not_fitting',
  no_template: 'refused_no_template',
  number_stopped: 'refused_number_stopped',
  not_accepted: 'refused_not_accepted',
  too_large: 'refused_too_large',
  failed: 'refused_failed',
  not_started: 'refused_not_started',
}

export function hasText(name: string): name is TextName {
  return Object.hasOwn(en, name)
}

export function speak(language: string, own: Readonly<Record<string, string>>): void {
  const [base = ''] = language.split('-')
  const builtIn = BUILT_IN[language] ?? BUILT_IN[base]
  // In a language that is not built in, dates are in that language, and texts that the app does not give are English.
  texts.value = { ...(builtIn ?? { ...en, locale: language }), ...own }
}

/** `10:32` */
export function formatClock(at: string): string {
  return write(at, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
}

/** `Wed, 4 Mar` */
export function formatDate(at: string): string {
  return write(at, { weekday: 'short', day: 'numeric', month: 'short' })
}

/** Without the date if the moment is today. */
export function formatMoment(at: string, now: number): string {
  const today = formatDate(new Date(now).toISOString())
  return formatDate(at) === today ? formatClock(at) : `${formatDate(at)}, ${formatClock(at)}`
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** In one unit, such as `12 min`, because `1 hr 5 min` is too long for a list. */
export function formatWait(ms: number): string {
  if (ms < MINUTE_MS) return t('lessThanMinute')
  if (ms < HOUR_MS) return inUnits(ms / MINUTE_MS, 'minute')
  return ms < DAY_MS ? inUnits(ms / HOUR_MS, 'hour') : inUnits(ms / DAY_MS, 'day')
}

export function formatCount(count: number): string {
  return new Intl.NumberFormat(locale()).format(count)
}

function inUnits(count: number, unit: string): string {
  return new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'short' }).format(Math.floor(count))
}

function write(at: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale(), options).format(new Date(at))
}

/** `en-GB` if the browser does not accept the name of the app's language. */
function locale(): string {
  try {
    return Intl.getCanonicalLocales(t('locale'))[0] ?? 'en-GB'
  } catch {
    return 'en-GB'
  }
}
