import { describe, expect, it } from 'vitest'
import { isPublicHost } from '../../src/emulator/http/messages.ts'

/** As a URL writes it: decimal, octal, hexadecimal and shortened forms become plain addresses there. */
const isPublic = (host: string) => isPublicHost(new URL(`https://${host}/`).hostname)

describe('a host', () => {
  it.each([
    ['this network', '0.0.0.0'],
    ['private', '10.1.2.3'],
    ['shared by carriers', '100.64.0.1'],
    ['this machine', '127.0.0.1'],
    ['link-local', '169.254.169.254'],
    ['documentation', '192.0.2.1'],
    ['broadcast', '255.255.255.255'],
    ['this machine', '[::1]'],
    ['a private address, mapped', '[::ffff:10.0.0.1]'],
    ['a private address behind NAT64', '[64:ff9b::10.0.0.1]'],
    ['a private address over 6to4', '[2002:a00:1::1]'],
    ['unique local', '[fc00::1]'],
    ['link-local', '[fe80::1]'],
    ['documentation', '[2001:db8::1]'],
    ['decimal', '2130706433'],
    ['hexadecimal', '0x7f000001'],
    ['octal', '0177.0.0.1'],
    ['shortened', '127.1'],
    ['with a dot at its end', '127.0.0.1.'],
    ['a name of this machine', 'localhost'],
    ['a name of this machine with a dot at its end', 'localhost.'],
    ['a name without a dot', 'printer'],
    ['a name of the local network', 'files.local'],
    ['a name of a private network', 'metadata.google.internal'],
  ])('is not public: %s, %s [E SEND-05 DEL-09]', (_, host) => {
    expect(isPublic(host)).toBe(false)
  })

  it.each([
    '8.8.8.8',
    '8.8.8.8.',
    '100.128.0.1',
    '172.32.0.1',
    '134744072',
    '[2a00:1450:4001::1]',
    'media.example.com',
    'media.example.com.',
  ])('is public: %s [E SEND-05 DEL-09]', (host) => {
    expect(isPublic(host)).toBe(true)
  })
})
