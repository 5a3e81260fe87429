/**
 * Why the upstream platform cannot fetch an address, or undefined where it can: https, without user info, and not
 * on this machine or in a private network (SEND-05). Does not repeat the address, which may be signed.
 */
export function addressProblem(address: string): string | undefined {
  const url = URL.parse(address)
  if (!url || url.protocol !== 'https:' || !/^https:\/\/\S+$/i.test(address))
    return 'no whole https address: the upstream platform fetches it, by https alone'
  if (url.username !== '' || url.password !== '') return 'holds a user name or password: it is fetched anonymously'
  if (isInside(url.hostname))
    return 'points to this machine or a private network: the upstream platform cannot reach it'
  return undefined
}

/** For how many seconds a signed address of the large stores says that it holds; Infinity where it does not say. */
export function expiryOf(address: string): number {
  const query = URL.parse(address)?.searchParams
  const seconds = query?.get('X-Amz-Expires') ?? query?.get('X-Goog-Expires') ?? ''
  return /^\d+$/.test(seconds) ? Number(seconds) : Number.POSITIVE_INFINITY
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
