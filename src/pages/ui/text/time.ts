const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' })
const hoursAndMinutes = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const withSeconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

type When = string | number

/** `Wed 4 Mar, 09:00:12` */
export function formatDateTime(at: When): string {
  const date = new Date(at)
  return `${day.format(date)}, ${withSeconds.format(date)}`
}

/** `09:00` */
export function formatTime(at: When): string {
  return hoursAndMinutes.format(new Date(at))
}

/** `09:00:12` */
export function formatTimeWithSeconds(at: When): string {
  return withSeconds.format(new Date(at))
}

/** `Wed 4 Mar` */
export function formatDay(at: When): string {
  return day.format(new Date(at))
}

/** The difference between two clocks: `+1 d 1 h`. */
export function formatOffset(ms: number): string {
  return (ms < 0 ? '−' : '+') + formatSpan(Math.abs(ms))
}

/** A span in its two largest units: `23 h 59 min`. */
export function formatSpan(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`
  if (ms < HOUR) return twoUnits(ms, MINUTE, 'min', SECOND, 's')
  if (ms < DAY) return twoUnits(ms, HOUR, 'h', MINUTE, 'min')
  return twoUnits(ms, DAY, 'd', HOUR, 'h')
}

function twoUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ''}`
}
