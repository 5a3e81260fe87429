import ipaddr from 'ipaddr.js'

/** Names that never resolve on the open internet; a name without a dot is a machine on the local network. */
const PRIVATE_NAMES = /^[^.]+$|\.(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa|invalid)$/

/** Prefixes of 96 bits before an IPv4 address: NAT64, its translated form, and the deprecated compatible form. */
const EMBEDDING = ['64:ff9b::', '::ffff:0:0:0', '::'].map((prefix) => ipaddr.IPv6.parse(prefix))

/**
 * Tells whether a URL's host could be reached from the open internet. The host is judged by its form alone: nothing is
 * looked up. A literal address is public only if its range is plain unicast, so no special-purpose range is.
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (!ipaddr.isValid(host)) return !PRIVATE_NAMES.test(host)
  return destinationOf(ipaddr.parse(host)).range() === 'unicast'
}

/**
 * The IPv4 address that an IPv6 address leads to, if it only carries one (mapped, compatible, 6to4, NAT64); else the
 * address itself. Teredo and local NAT64 prefixes stay unchanged: nothing on the open internet answers there.
 */
function destinationOf(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  const bytes = address.toByteArray()
  if (address.range() === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6))
  return EMBEDDING.some((prefix) => address.match(prefix, 96)) ? new ipaddr.IPv4(bytes.slice(12)) : address
}
