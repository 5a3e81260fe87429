/**
 * A time in the form of another one: seconds, milliseconds or microseconds since the epoch, as a number or its digits,
 * or ISO with as many digits and the same offset. Undefined if the other is no time.
 */
export function timeLike(other: unknown, ms: number): string | number | undefined {
  if (typeof other === 'number') return epochLike(other, ms)
  if (typeof other !== 'string') return undefined
  if (!EPOCH.test(other)) return isoLike(other, ms)
  const count = epochLike(Number(other), ms)
  const [, fraction = ''] = other.split('.')
  return count?.toFixed(fraction.length)
}

/** Milliseconds since the epoch, of a value in any of these forms. */
export function millisecondsOf(value: unknown): number | undefined {
  if (typeof value === 'string' && !EPOCH.test(value)) return partsOf(value)?.ms
  const count = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
  const unit = unitOf(count)
  return unit === undefined ? undefined : count * unit
}

const EPOCH = /^\d{9,17}(?:\.\d{1,9})?$/

/** Milliseconds in a unit of this count, told by its magnitude; smaller counts are no times. */
function unitOf(count: number): number | undefined {
  if (!(count >= 1e8 && count < 1e17)) return undefined
  if (count < 1e11) return 1_000
  return count < 1e14 ? 1 : 0.001
}

function epochLike(other: number, ms: number): number | undefined {
  const unit = unitOf(other)
  if (unit === undefined) return undefined
  return Number.isInteger(other) ? Math.floor(ms / unit) : ms / unit
}

const ISO =
  /^(\d{4}-\d\d-\d\d)([Tt ])(\d\d:\d\d)(?<second>:\d\d)?(?<fraction>[.,]\d{1,9})?(?<zone> ?(?:[Zz]|UTC|GMT|[+-]\d\d:?(?:\d\d)?))?$/

interface Parts {
  readonly ms: number
  readonly between: string
  readonly second: string
  readonly fraction: string
  readonly zone: string
  readonly offsetMs: number
}

function partsOf(text: string): Parts | undefined {
  const found = ISO.exec(text)
  if (!found) return undefined
  const { second = '', fraction = '', zone = '' } = found.groups ?? {}
  const [, day = '', between = 'T', minute = ''] = found
  const offsetMs = offsetOf(zone.trim())
  const thousandths = fraction.slice(1, 4).padEnd(3, '0')
  const ms = Date.parse(`${day}T${minute}${second || ':00'}.${thousandths}Z`) - offsetMs
  return Number.isFinite(ms) ? { ms, between, second, fraction, zone, offsetMs } : undefined
}

const MINUTE_MS = 60_000

function offsetOf(zone: string): number {
  if (!/^[+-]/.test(zone)) return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0)
  return (zone.startsWith('-') ? -minutes : minutes) * MINUTE_MS
}

function isoLike(other: string, ms: number): string | undefined {
  const parts = partsOf(other)
  if (!parts) return undefined
  const { between, second, fraction, zone, offsetMs } = parts
  const iso = new Date(ms + offsetMs).toISOString()
  const digits = iso
    .slice(20, 23)
    .padEnd(9, '0')
    .slice(0, Math.max(fraction.length - 1, 0))
  const seconds = second === '' ? '' : iso.slice(16, 19)
  return `${iso.slice(0, 10)}${between}${iso.slice(11, 16)}${seconds}${fraction.slice(0, 1)}${digits}${zone}`
}
