import { request as begin, METHODS } from 'node:http'
import * as fc from 'fast-check'
import type { Emulator } from '../../../src/emulator/emulator.ts'
import { CUSTOMER } from './api.ts'
import { VALID_REQUESTS } from './valid-requests.ts'

/** A request such as nobody should make. */
export interface OddRequest {
  readonly method: string
  readonly path: string
  /** `own`: what its path asks for, which is known when it goes out. */
  readonly token: 'own' | 'wrong' | 'none'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export interface OddAnswer {
  readonly status: number
  readonly type: string
  readonly text: string
}

const API_PATHS = ['messages', 'messages/msg_1', 'templates', 'webhooks', 'openapi.json', 'docs', 'contacts', '']
const OF_A_CUSTOMER = 'messages thread codes statuses handset replies escalate orders'.split(' ')
const OF_THE_WORLD = (
  'clock deliveries deliveries/x deliveries/x/redeliver subscriptions subscriptions/x templates templates/x events ' +
  'account faults keys keys/release keys/forget assumptions agent reset credentials forms stream ' +
  'customers calls/x timeline'
).split(' ')
const CONTROL_PATHS = ['', ...OF_THE_WORLD, ...OF_A_CUSTOMER.map((what) => `customers/${CUSTOMER}/${what}`)]

/** Names that the API or the control API reads, so that odd values reach what is behind them. */
const NAMES = (
  'to type text interactive template_name template_language template_components media_url media_caption buttons ' +
  'sections rows cta body title id parameters tap quickReply media kind url secret advance now reset rules on do status ' +
  'next every by code answers plan api contactLimit suspended numbers rotate takeoverWindow callbackOverride name ' +
  'language components category expiryMinutes synchronised event payload raw customer number send idempotencyKey key ' +
  'messageId reason online receipts blocked amount currency version time upstreamMs ' +
  'retryAfterMs payloadShape validation __proto__ constructor toString'
).split(' ')

const TOO_LONG = `${'9'.repeat(400)}d`
const WORDS =
  'text template interactive buttons image BODY sw order_ready 25h -301s message.received send delivery read'
const plausible: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(CUSTOMER, TOO_LONG, 'http://127.0.0.1:9/x', ...WORDS.split(' ')),
  fc.constantFrom(0, 1, 24, -1, 0.5, 1e300, 2 ** 53, true, false, null),
)
const odd: fc.Arbitrary<unknown> = fc.constantFrom('', ' ', '\0', '\ud800', 'x'.repeat(5_000), [], {}, [[]], [null])
const member = fc.oneof({ weight: 4, arbitrary: plausible }, odd, fc.jsonValue({ maxDepth: 2 }))
const object = (value: fc.Arbitrary<unknown>) => fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 6 })
const value = fc.oneof({ weight: 4, arbitrary: member }, object(member), fc.array(object(member), { maxLength: 3 }))

const aSend = object(value).map((more) => ({ to: CUSTOMER, text: 'Habari', ...more }))
const json = fc.oneof(aSend, object(value), fc.jsonValue()).map((json) => JSON.stringify(json) ?? '')
const text = fc.oneof(
  { weight: 6, arbitrary: json },
  fc.tuple(json, fc.nat(20)).map(([whole, end]) => whole.slice(0, end)),
  fc.string({ unit: 'binary' }),
)
const bodies = fc.oneof({ weight: 8, arbitrary: text }, fc.uint8Array({ maxLength: 60 }), fc.constant(new Uint8Array()))

const inHeader = fc.stringMatching(/^[\x21-\x7e\xa0-\xff]{0,40}$/)
const segment = fc.stringMatching(/^[\x21-\x22\x24-\x7e]{0,30}$/)
const paths = fc
  .tuple(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...API_PATHS).map((path) => `/api/v2/${path}`) },
      { weight: 8, arbitrary: fc.constantFrom(...CONTROL_PATHS).map((path) => `/_emulator/${path}`) },
      segment.map((path) => `/api/v2/${path}`),
      segment.map((path) => `/_emulator/${path}`),
      segment.map((path) => `/_emulator/customers/${path}/thread`),
      segment.map((path) => `/${path}`),
    ),
    fc.oneof(
      fc.constantFrom('', '', '?limit=0', '?limit=1&limit=2', '?cursor=e30', '?sendable=%FF'),
      segment.map((it) => `?${it}`),
    ),
  )
  .map((parts) => parts.join(''))

/** `CONNECT` asks for no answer but a tunnel, which ends at once. */
const methods = METHODS.filter((method) => method !== 'CONNECT')

const headers = fc.dictionary(
  fc.constantFrom('content-type', 'idempotency-key', 'x-phone-number-id', 'origin', 'expect', 'last-event-id', 'range'),
  fc.oneof(inHeader, fc.constant('application/json')),
  { maxKeys: 3 },
)

const farFetched: fc.Arbitrary<OddRequest> = fc.record({
  method: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH') },
    fc.constantFrom(...methods),
  ),
  path: paths,
  token: fc.oneof({ weight: 4, arbitrary: fc.constant('own' as const) }, fc.constantFrom('wrong', 'none')),
  headers,
  body: bodies,
})

const nearlyGood: fc.Arbitrary<OddRequest> = fc
  .record({ good: fc.constantFrom(...VALID_REQUESTS), at: fc.nat(), value, headers })
  .map(({ good: [method, path, body], at, value: changed, headers: given }) => {
    const { 'content-type': _type, expect: _expect, origin: _origin, ...rest } = given
    return { method, path, token: 'own', headers: rest, body: JSON.stringify(withChanged(body, at, changed)) }
  })

/** The same with one of its members, however deep, become something else. */
function withChanged(body: object, at: number, changed: unknown): unknown {
  const copy = structuredClone(body)
  const places: [holder: Record<string, unknown>, name: string][] = []
  const collect = (holder: object) => {
    for (const [name, inner] of Object.entries(holder)) {
      places.push([holder as Record<string, unknown>, name])
      if (typeof inner === 'object' && inner !== null) collect(inner)
    }
  }
  collect(copy)
  const [holder, name] = places[at % places.length] ?? [{}, '']
  holder[name] = changed
  return copy
}

export const oddRequest = fc.oneof(farFetched, { weight: 2, arbitrary: nearlyGood })

export function ask(emulator: Emulator, odd: OddRequest): Promise<OddAnswer> {
  const { hostname: host, port } = new URL(emulator.url)
  const own = odd.path.startsWith('/api/v2') ? emulator.accessToken : emulator.controlToken
  const given = {
    'content-type': 'application/json',
    ...odd.headers,
    'content-length': Buffer.byteLength(odd.body),
    ...(odd.token !== 'none' && { authorization: `Bearer ${odd.token === 'own' ? own : 'of-nobody'}` }),
  }
  return new Promise((resolve, reject) => {
    const sent = begin({ host, port, method: odd.method, path: odd.path, headers: given }, (response) => {
      const answer = { status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '' }
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        // A stream never ends, so its beginning is enough.
        if (answer.type === 'text/event-stream') sent.destroy()
      })
      response.on('error', () => {})
      response.on('close', () => resolve({ ...answer, text: Buffer.concat(chunks).toString() }))
    })
    sent.on('error', reject)
    sent.end(odd.body)
  })
}
