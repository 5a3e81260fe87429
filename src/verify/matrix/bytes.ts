import { gzipSync } from 'node:zlib'
import type { Check } from '../check.ts'

const EXACT = 'compute the HMAC over the bytes as they came (a Buffer), before anything parses or decodes them'
const BOM = Buffer.from([0xef, 0xbb, 0xbf])
const REPLACEMENT = Buffer.from([0xef, 0xbf, 0xbd])

/** Puts bytes in the place of a message's `@`. */
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
    says: 'white space in the JSON, CRLF and a line break behind it belong to the signed bytes',
    expects: 'acknowledged',
    fix: EXACT,
    shots: (make) => [
      make({ what: 'JSON with indents', body: indented(make.message()) }),
      make({ what: 'JSON with CRLF', body: indented(make.message()).replaceAll('\n', '\r\n') }),
      make({ what: 'a line break behind the JSON', body: `${make.message()}\n` }),
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
    says: 'letters beyond ASCII are signed as the bytes that they are',
    expects: 'acknowledged',
    fix: `${EXACT}; do not escape letters again`,
    shots: (make) => [make({ what: 'é, Swahili quotes and an emoji', body: make.message('Habari é “saa” 🙂') })],
  },
  {
    id: 'bytes-bom',
    rules: ['SIG-02', 'SIG-09'],
    says: 'a byte order mark is signed with the rest, and no reason for an error',
    expects: 'acknowledged',
    fix: `${EXACT}: decoders drop the mark in silence. Acknowledge before you parse`,
    shots: (make) => [
      make({ what: 'EF BB BF before the JSON', body: Buffer.concat([BOM, Buffer.from(make.message())]) }),
    ],
  },
  {
    id: 'bytes-invalid-utf8',
    rules: ['SIG-02', 'SIG-09'],
    says: 'bytes that are no UTF-8 are signed unchanged',
    expects: 'acknowledged',
    fix: `${EXACT}: as a text they become U+FFFD, and the signature is another`,
    shots: (make) => [make({ what: 'a byte FF in the text', body: withBytes(make.message('@'), Buffer.from([0xff])) })],
  },
  {
    id: 'bytes-replaced',
    rules: ['SIG-02'],
    says: 'a signature over the text is none over the bytes: FF is not U+FFFD',
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
    says: 'a body that was parsed and written again does not verify',
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
    says: 'a body of which one byte was changed is refused',
    expects: 'refused',
    fix: 'compare the signature with the HMAC over timestamp, dot and body, and answer 401 where it differs',
    shots: (make) => {
      const message = make.message('Pay 100')
      return [make({ what: '100 signed, 900 sent', body: message.replace('Pay 100', 'Pay 900'), signed: message })]
    },
  },
  {
    id: 'bytes-inflated',
    rules: ['SIG-02'],
    says: 'a packed body is not inflated before it is verified: its bytes on the wire would be the signed ones',
    expects: 'refused',
    fix: 'refuse a Content-Encoding with 415, and inflate nothing: express.raw({ inflate: false })',
    shots: (make) => {
      const signed = make.message()
      const more = [['Content-Encoding', 'gzip']] as const
      return [make({ what: 'gzip, signed as it was before', body: gzipSync(signed), signed, more })]
    },
  },
]
