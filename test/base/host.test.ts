import { describe, expect, it } from 'vitest'
import { isLoopback, isPublicHost } from '../../src/base/host.ts'

// One address of each entry of IANA's special-purpose registries that is not globally reachable, and edges of the ranges:
// https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry
const NOT_PUBLIC = [
  ['this network', '0.0.0.0'],
  ['shared address space, the last', '100.127.255.255'],
  ['loopback, the last', '127.255.255.254'],
  ['link-local', '169.254.169.254'],
  ['private, the last', '172.31.255.255'],
  ['documentation', '192.0.2.1'],
  ['multicast', '224.0.0.1'],
  ['loopback', '::1'],
  ['mapped loopback', '::ffff:127.0.0.1'],
  ['IPv4-compatible, deprecated', '::7f00:1'],
  ['not allocated', '4000::1'],
  ['loopback through NAT64', '64:ff9b::7f00:1'],
  ['documentation', '2001:db8::1'],
  ['unique local', 'fd12:3456::1'],
  ['link-local', 'fe80::1'],
] as const

// The registries say "N/A" or "True" of these: tunnels, sinks and relays, at which no files are served.
const SERVING_NOTHING = [
  ['6to4 relay, deprecated', '192.88.99.1'],
  ['6to4 of a public address', '2002:808:808::1'],
] as const

const PUBLIC = [
  ['just behind it', '100.128.0.1'],
  ['just behind a private range', '172.32.0.1'],
  ['a name server', '8.8.8.8'],
  ['the same, mapped', '::ffff:8.8.8.8'],
  ['the same through NAT64', '64:ff9b::8.8.8.8'],
  ['IPv6', '2606:4700::1111'],
] as const

describe('an IP address', () => {
  const isPublic = (address: string) =>
    isPublicHost(new URL(`https://${address.includes(':') ? `[${address}]` : address}`).hostname)

  it.each([...NOT_PUBLIC, ...SERVING_NOTHING])('is not public: %s, %s', (_, address) => {
    expect(isPublic(address)).toBe(false)
  })

  it.each(PUBLIC)('is public: %s, %s', (_, address) => {
    expect(isPublic(address)).toBe(true)
  })
})

describe('the host of a URL', () => {
  it.each(['localhost', 'printer.local', 'host.docker.internal', 'router.home.arpa', 'printer', ''])(
    'is not public: %j',
    (name) => expect(isPublicHost(name)).toBe(false),
  )

  it.each(['cdn.example.com', 'CDN.Example.com.', 'local.example', 'internal.shop.example', 'xn--bcher-kva.example'])(
    'can be public: %s',
    (name) => expect(isPublicHost(name)).toBe(true),
  )

  it.each(['0x7f.1', '2130706433', '017700000001', '127.1'])('is judged as URL reads it: %s', (spelling) => {
    expect(isPublicHost(new URL(`https://${spelling}`).hostname)).toBe(false)
  })
})

describe('an address of this machine', () => {
  it.each([
    'http://localhost:4747',
    'http://127.0.0.1',
    'http://127.9.9.9:1/x',
    'http://[::1]:80',
    'http://127.1',
    'http://2130706433',
  ])('is recognised: %s', (address) => {
    expect(isLoopback(address)).toBe(true)
  })

  it.each([
    'https://service.example',
    'http://localhost.example',
    'http://127.0.0.1.example',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'http://[::ffff:10.0.0.1]',
    'http://user@service.example/?127.0.0.1',
    'http://127.0.0.1@service.example',
    'localhost',
    '',
  ])('is not: %s', (address) => {
    expect(isLoopback(address)).toBe(false)
  })
})
