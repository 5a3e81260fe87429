import { gzipSync } from 'node:zlib'
import type { Check } from '../check.ts'

const EXACT = 'compute the HMAC over the received bytes (a Buffer), before anything parses or decodes them'
const BOM = Buffer.from([0xef, 0xbb, 0xbf])
const REPLACEMENT = Buffer.from([0xef, 0xbf, 0xbd])

/** Replaces a message's `@` by bytes. */
function withBytes(message: string, bytes: Buffer): Buffer {
  const [before = '', after = ''] = message.split('@')
  return Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)])
}

function indented(message: string): string {
  return JSON.stringify(JSON.parse(message), null, 2)
}

/** The signature covers the exact bytes (SIG-02), whatever they are. */
export const BYTES: readonly Check[] = [
  {
    id: 'bytes-white-space',
    rules: ['SIG-02'],
    says: 'white space, CRLF and a final line break belong to the signed bytes',
    expects: 'acknowledged',
    fix: EXACT,
    shots: (make) => [
      make({ what: 'JSON with indents', body: indented(make.message()) }),
      make({ what: 'JSON with CRLF', body: indented(make.message()).replaceAll('\n', '\r\n') }),
      make({ what: 'a line break after the JSON', body: `${make.message()}\n` }),
    ],
  },
  {
    id: 'bytes-escapes',
    rules: ['SIG-02'],
    says: String.raw`escapes (\u00e9, \/), forms of numbers and repeated members belong to the signed bytes`,
    expects: 'acknowledged',
    fix: EXACT,
    shots: (make) => [
      make({
        what: String.raw`\u00e9 and \/`,
        body: make.message('@').replace('@', String.raw`caf\u00e9 \/ 9\u201317`),
      }),
      make({
        what: '1.0, 1e2 and a long number',
        body: make.message().replace('{', '{"a":1.0,"b":1e2,"c":12345678901234567890,'),
      }),
      make({ what: 'a member twice', body: make.message().replace('{', '{"a":1,"a":2,') }),
    ],
  },
  {
    id: 'bytes-utf8',
    rules: ['SIG-02'],
    says: 'non-ASCII letters are signed as their bytes',
    expects: 'acknowledged',
    fix: `${EXACT}; do not escape letters again`,
    shots: (make) => [make({ what: 'é, Swahili quotes and an emoji', body: make.message('Habari é “saa” 🙂') })],
  },
  {
    id: 'bytes-bom',
    rules: ['SIG-02', 'SIG-09'],
    says: 'a byte order mark is signed with the rest, and causes no error',
    expects: 'acknowledged',
    fix: `${EXACT}: decoders drop the mark silently. Acknowledge before you parse`,
    shots: (make) => [
      make({ what: 'EF BB BF before the JSON', body: Buffer.concat([BOM, Buffer.from(make.message())]) }),
    ],
  },
  {
    id: 'bytes-invalid-utf8',
    rules: ['SIG-02', 'SIG-09'],
    says: 'bytes that are not UTF-8 are signed unchanged',
    expects: 'acknowledged',
    fix: `${EXACT}: as a text they become U+FFFD, which changes the signature`,
    shots: (make) => [make({ what: 'a byte FF in the text', body: withBytes(make.message('@'), Buffer.from([0xff])) })],
  },
  {
    id: 'bytes-replaced',
    rules: ['SIG-02'],
    says: 'a signature over the text does not fit the bytes: FF is not U+FFFD',
    expects: 'refused',
    fix: EXACT,
    shots: (make) => {
      const message = make.message('@')
      const signed = withBytes(message, REPLACEMENT)
      return [
        make({ what: 'a byte FF where U+FFFD was signed', body: withBytes(message, Buffer.from([0xff])), signed }),
      ]
    },
  },
  {
    id: 'bytes-reserialised',
    rules: ['SIG-03'],
    says: 'a body that was parsed and serialized again does not verify',
    expects: 'refused',
    fix: EXACT,
    shots: (make) => {
      const message = make.message()
      return [
        make({ what: 'indents sent, the compact form signed', body: indented(message), signed: message }),
        make({ what: 'the compact form sent, indents signed', body: message, signed: indented(message) }),
      ]
    },
  },
  {
    id: 'bytes-altered',
    rules: ['SIG-01'],
    says: 'a body with one changed byte is refused',
    expects: 'refused',
    fix: 'compare the signature with the HMAC over timestamp, dot and body, and answer 401 if it differs',
    shots: (make) => {
      const message = make.message('Pay 100')
      return [make({ what: '100 signed, 900 sent', body: message.replace('Pay 100', 'Pay 900'), signed: message })]
    },
  },
  {
    id: 'bytes-inflated',
    rules: ['SIG-02'],
    says: 'a compressed body is not inflated before it is verified: the signature covers the bytes on the wire',
    expects: 'refused',
    fix: 'refuse a Content-Encoding with 415 and do not inflate: express.raw({ inflate: false })',
    shots: (make) => {
      const signed = make.message()
      const more = [['Content-Encoding', 'gzip']] as const
      return [make({ what: 'gzip, signed before compression', body: gzipSync(signed), signed, more })]
    },
  },
]
