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
