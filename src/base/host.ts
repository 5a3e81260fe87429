import ipaddr from 'ipaddr.js'

/** Names that never resolve on the open internet (by RFC 6761, 6762, 8375 or habit), and names without a dot. */
const LOCAL_NAMES = /^[^.]*$|\.(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa|invalid)$/

/** The IPv6 addresses that IANA has assigned. ipaddr.js takes all other addresses for unicast too. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')
/** Contains an IPv4 address in its last four bytes: a machine without IPv4 reaches it through NAT64 (RFC 6052). */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** True if an address is this machine. Then no send can reach a phone. */
export function isLoopback(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}

/** Judges by the form alone, without DNS. */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  // `URL` has turned every spelling of an address into four decimals, or into hexadecimal groups without a zone.
  if (ipaddr.IPv6.isValid(host) || ipaddr.IPv4.isValidFourPartDecimal(host)) return isPublic(ipaddr.parse(host))
  return !LOCAL_NAMES.test(host.replace(/\.$/, '').toLowerCase())
}

/** Judges by IANA's registries. An IPv6 address that contains an IPv4 address (mapped, NAT64) counts as that one. */
function isPublic(ip: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (ip instanceof ipaddr.IPv4) return ip.range() === 'unicast'
  if (ip.isIPv4MappedAddress() || ip.match(NAT64)) return isPublic(new ipaddr.IPv4(ip.toByteArray().slice(-4)))
  return ip.match(GLOBAL_IPV6) && ip.range() === 'unicast'
}
