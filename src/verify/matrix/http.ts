import { gzipSync } from 'node:zlib'
import type { Check } from '../check.ts'

const MEBIBYTE = 1_048_576
const TOO_MUCH = 8 * MEBIBYTE

/** Sizes, encodings, methods, and a body that never ends. */
export const HTTP: readonly Check[] = [
  {
    id: 'size-1-mib',
    rules: ['DEL-06'],
    says: 'a body of 1 MiB is acknowledged',
    expects: 'acknowledged',
    fix: 'raise the limit of the body (Express takes 100 kB unless told otherwise), also of a proxy before the receiver',
    shots: (make) => [
      make({
        what: '1,048,576 bytes',
        body: make.message('@').replace('@', 'a'.repeat(MEBIBYTE - make.message('').length)),
      }),
    ],
  },
  {
    id: 'size-over',
    rules: [],
    says: 'a body far beyond that is refused cleanly',
    expects: 'capped',
    fix: 'set a limit for the body: refuse the declared length with 413, and count the real one',
    shots: (make) => [make({ what: '8 MiB', body: Buffer.alloc(TOO_MUCH, 'a') })],
  },
  {
    id: 'gzip',
    rules: [],
    says: 'a packed body is answered without an error inside',
    expects: 'harmless',
    fix: 'refuse a Content-Encoding with 415, and inflate nothing: 8 kB may become 8 MiB',
    shots: (make) => [
      make({ what: '8 MiB as gzip', body: gzipSync(Buffer.alloc(TOO_MUCH)), more: [['Content-Encoding', 'gzip']] }),
      make({ what: 'Content-Encoding: gzip on what is none', more: [['Content-Encoding', 'gzip']] }),
    ],
  },
  {
    id: 'method',
    rules: [],
    says: 'another method than POST is refused',
    expects: 'refused',
    fix: 'answer 405 with Allow: POST',
    shots: (make) => ['GET', 'PUT', 'DELETE'].map((method) => make({ what: method, method })),
  },
  {
    id: 'stalled',
    rules: [],
    says: 'a body that never ends is given up, and meanwhile others are served',
    expects: 'ended',
    inBackground: true,
    fix: 'give the body its own deadline, some 10 s: Node waits 5 minutes for a request (server.requestTimeout)',
    shots: (make) => [make({ what: 'the last byte never comes', pace: 'stalled' })],
  },
]
