const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' })
const ofDay = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const exact = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

type When = string | number

/** `Wed 4 Mar, 09:00:12` */
export function clockText(at: When): string {
  const date = new Date(at)
  return `${day.format(date)}, ${exact.format(date)}`
}

/** `09:00` */
export function timeOfDay(at: When): string {
  return ofDay.format(new Date(at))
}

/** `09:00:12` */
export function exactTime(at: When): string {
  return exact.format(new Date(at))
}

/** `Wed 4 Mar` */
export function dayOf(at: When): string {
  return day.format(new Date(at))
}

/** How far a clock is off: `+1 d 1 h`. */
export function offsetText(ms: number): string {
  return (ms < 0 ? '−' : '+') + spanText(Math.abs(ms))
}

/** A span in its two largest units: `23 h 59 min`. */
export function spanText(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`
  if (ms < HOUR) return joined(ms, MINUTE, 'min', SECOND, 's')
  if (ms < DAY) return joined(ms, HOUR, 'h', MINUTE, 'min')
  return joined(ms, DAY, 'd', HOUR, 'h')
}

function joined(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ''}`
}

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

/** As a field for local dates and times takes it: `2026-03-04T09:00`, in this machine's time zone. */
export function localTime(at: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day}T${[at.getHours(), at.getMinutes()].map(two).join(':')}`
}
