import { describe, expect, it } from 'vitest'
import { isPublicHost } from '../../src/emulator/http/messages.ts'

/** As a URL writes it: decimal, octal, hexadecimal and shortened forms become plain addresses there. */
const isPublic = (host: string) => isPublicHost(new URL(`https://${host}/`).hostname)

describe('a host', () => {
  it.each([
    ['this network', '0.0.0.0'],
    ['private', '10.1.2.3'],
    ['this machine', '127.0.0.1'],
    ['link-local', '169.254.169.254'],
    ['this machine', '[::1]'],
    ['a private address, mapped', '[::ffff:10.0.0.1]'],
    ['unique local', '[fc00::1]'],
    ['decimal', '2130706433'],
    ['hexadecimal', '0x7f000001'],
    ['with a dot at its end', '127.0.0.1.'],
    ['a name of this machine', 'localhost'],
    ['a name without a dot', 'printer'],
    ['a name of the local network', 'files.local'],
    ['a name of a private network', 'metadata.google.internal'],
  ])('is not public: %s, %s [E SEND-05 DEL-09]', (_, host) => {
    expect(isPublic(host)).toBe(false)
  })

  it.each(['8.8.8.8', '172.32.0.1', '134744072', '[2a00:1450:4001::1]', 'media.example.com.'])(
    'is public: %s [E SEND-05 DEL-09]',
    (host) => {
      expect(isPublic(host)).toBe(true)
    },
  )
})
