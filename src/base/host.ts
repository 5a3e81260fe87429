import ipaddr from 'ipaddr.js'

/**
 * Names that never resolve on the open internet (RFC 6761, 6762, 8375 and custom). A name without a dot is local too.
 */
const LOCAL_NAMES = /^[^.]*$|\.(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa|invalid)$/

/** All IPv6 addresses that IANA has assigned so far. The library also treats the rest of the space as unicast. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')
/** Contains an IPv4 address in its last four bytes: a machine without IPv4 reaches it through NAT64 (RFC 6052). */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** True if an address is this machine. Then no send can reach a phone. */
export function isLoopback(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}

/** True if the host of a URL can be on the open internet. Judged by its form, without DNS. */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  // `URL` has turned every spelling of an IPv4 address into four decimals.
  if (ipaddr.IPv6.isValid(host) || ipaddr.IPv4.isValidFourPartDecimal(host)) return isPublicAddress(host)
  return !LOCAL_NAMES.test(host.replace(/\.$/, '').toLowerCase())
}

/**
 * True if an IP address is on the open internet, by IANA's special-purpose registries. A mapped IPv4 address, or one
 * behind the well-known NAT64 prefix, is judged as the IPv4 address that a connection reaches. 6to4, Teredo and all
 * other special ranges are not public, even those that the registries call reachable, because no files are served
 * there.
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address).range() === 'unicast'
  if (!ipaddr.IPv6.isValid(address)) return false
  // The library treats an IPv4-compatible address (`::8.8.8.8`, deprecated) as a mapped one.
  if (ipaddr.IPv4.isValidFourPartDecimal(address.slice('::'.length))) return false
  const ip = ipaddr.IPv6.parse(address)
  // Only link-local addresses have a zone.
  if (ip.zoneId !== undefined) return false
  if (ip.isIPv4MappedAddress() || ip.match(NAT64)) return isPublicAddress(ip.toByteArray().slice(-4).join('.'))
  return ip.match(GLOBAL_IPV6) && ip.range() === 'unicast'
}
