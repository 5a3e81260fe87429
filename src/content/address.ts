import { type Place, refuse, string } from './check.ts'

/**
 * An address that the upstream platform can fetch: https, without user info, and not on this machine or in a
 * private network (SEND-05). Handed on as it was written; no message repeats it, since it may be signed.
 */
export function publicHttps(place: Place, value: unknown): string {
  const address = string(place, value)
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || url.protocol !== 'https:' || !/^https:\/\/\S+$/i.test(address))
    refuse(place, 'must be a whole https address: the upstream platform fetches it, by https alone')
  if (url.username !== '' || url.password !== '')
    refuse(place, 'must not hold a user name or password: it is fetched anonymously')
  if (isInside(url.hostname))
    refuse(place, 'points to this machine or a private network: the upstream platform cannot reach it')
  return address
}

/** `URL` has already brought every spelling of an IPv4 address into dotted decimals, and IPv6 into lower case. */
function isInside(host: string): boolean {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return isInsideIpv4(host.split('.').map(Number))
  if (host.startsWith('[')) return isInsideIpv6(host.slice(1, -1))
  const name = host.replace(/\.$/, '')
  return name === 'localhost' || /\.(localhost|local|internal|home\.arpa)$/.test(name)
}

function isInsideIpv4([a = 0, b = 0]: readonly number[]): boolean {
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168)
  )
}

function isInsideIpv6(host: string): boolean {
  const mapped = /^::ffff:([0-9a-f]{1,4}):[0-9a-f]{1,4}$/.exec(host)
  if (mapped) {
    const high = Number.parseInt(mapped[1] as string, 16)
    return isInsideIpv4([high >> 8, high & 255])
  }
  return host === '::' || host === '::1' || /^f[cd][0-9a-f]{2}:/.test(host) || /^fe[89ab][0-9a-f]:/.test(host)
}
