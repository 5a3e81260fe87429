import ipaddr from 'ipaddr.js'

/** Names that never resolve on the open internet. A name without a dot is a machine on the local network. */
const PRIVATE_NAMES = /^[^.]+$|\.(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa|invalid)$/

/**
 * True if a URL's host could be reached from the open internet. The host is judged only by its form, without DNS. A
 * literal address is public only if its range is plain unicast, which excludes all special-purpose ranges.
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (!ipaddr.isValid(host)) return !PRIVATE_NAMES.test(host)
  return ipaddr.parse(host).range() === 'unicast'
}
