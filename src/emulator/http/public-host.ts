import { BlockList, isIP } from 'node:net'

const closed = new BlockList()
const RANGES: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
]
for (const [network, bits] of RANGES) closed.addSubnet(network, bits, network.includes(':') ? 'ipv6' : 'ipv4')

/** Names that never resolve on the open internet; one without a dot is a machine next door. */
const CLOSED_NAMES = /^[^.]+$|\.(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa|invalid)$/

/** Whether a URL's host could be reached from the open internet: judged by its form, nothing is looked up. */
export function isPublicHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  const version = isIP(host)
  if (version === 0) return !CLOSED_NAMES.test(host)
  return !closed.check(host, version === 6 ? 'ipv6' : 'ipv4')
}
