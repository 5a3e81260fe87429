import { createHmac, randomBytes } from 'node:crypto'
import type { DeliveryHeaders } from '../../service/contract.ts'
import { ulid } from 'ulid'

export interface Shot {
  /** Describes the request's difference from a genuine one, for people. */
  readonly what: string
  readonly method: string
  readonly query: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  readonly chunked: boolean
  readonly rightSignature: string
}

export interface Draft {
  readonly what?: string
  readonly method?: string
  readonly query?: string
  readonly chunked?: true
  readonly body?: Buffer | string
  readonly signed?: Buffer | string
  /** The header's value, once or several times; `[]` leaves the header out. */
  readonly timestamp?: string | readonly string[]
  readonly signedTimestamp?: string
  /** The header's value, made from the right signature. */
  readonly signature?: (right: string) => string | readonly string[]
  readonly secret?: string
  /** Signs by another algorithm than SHA-256, and names it in the header. */
  readonly algorithm?: string
  readonly event?: string | readonly string[]
  readonly delivery?: string | readonly string[]
  readonly contentType?: string | readonly string[]
  readonly more?: readonly (readonly [string, string])[]
}

/** Makes shots for one subscription. Each delivery gets its own id and message. */
export interface Make {
  (draft?: Draft): Shot
  at(seconds?: number): string
  message(text?: string): string
  id(): string
  /** Seconds that test deliveries keep from the limit of 300 s: more if two machines' clocks are compared. */
  readonly margin: number
}

export interface Subscription {
  readonly secret: string
  readonly names: DeliveryHeaders
  /** Wall time in ms. All shots of a check use one reading, because a second may begin while they are made. */
  readonly now: number
  readonly margin: number
}

export function maker({ secret, names, now, margin }: Subscription): Make {
  const at = (seconds = 0) => String(Math.floor(now / 1_000) + seconds)
  const id = () => markedId(now)
  const message = (text = 'Habari') => messageBody(text, now)
  const make = (draft: Draft = {}): Shot => {
    const body = Buffer.from(draft.body ?? message())
    const timestamps = list(draft.timestamp ?? at())
    const signedTime = draft.signedTimestamp ?? timestamps[0] ?? ''
    const signedBy = (algorithm: string) =>
      signatureOf(algorithm, Buffer.from(draft.signed ?? body), signedTime, draft.secret ?? secret)
    const right = signedBy('sha256')
    const signatures = list(
      draft.signature?.(right) ?? (draft.algorithm === undefined ? right : signedBy(draft.algorithm)),
    )
    const named = (name: string, values: readonly string[]) => values.map((value) => [name, value] as const)
    return {
      what: draft.what ?? 'a genuine delivery',
      method: draft.method ?? 'POST',
      query: draft.query ?? '',
      chunked: draft.chunked ?? false,
      headers: [
        ...named('Content-Type', list(draft.contentType ?? 'application/json')),
        ...named(names.event, list(draft.event ?? 'message.received')),
        ...named(names.delivery, list(draft.delivery ?? id())),
        ...named(names.timestamp, timestamps),
        ...named(names.signature, signatures),
        ...(draft.more ?? []),
      ],
      body,
      rightSignature: right,
    }
  }
  return Object.assign(make, { at, id, message, margin })
}

/** Signs as SIG-01 states. Does not use the receiver's code, which it judges. */
function signatureOf(algorithm: string, body: Buffer, timestamp: string, secret: string): string {
  return `${algorithm}=${createHmac(algorithm, secret).update(`${timestamp}.`).update(body).digest('hex')}`
}

/** One of the payload shapes that such services use. The specification shows none. */
function messageBody(text: string, now: number): string {
  const token = randomBytes(8).toString('hex')
  return JSON.stringify({
    message_id: `msg_verify_${token}`,
    wa_message_id: `${MESSAGE_MARK}${token}`,
    from: TEST_CUSTOMER,
    type: 'text',
    text: { body: text },
    timestamp: String(now),
  })
}

function list(values: string | readonly string[]): readonly string[] {
  return typeof values === 'string' ? [values] : values
}

export const TEST_CUSTOMER = '999000000100'

/** Follows the ten digits of a ULID's time. The service's own ids have it there once in a million million. */
const ID_MARK = '0VER1FY0'
const TIME_DIGITS = 10
const END_OF_MARK = TIME_DIGITS + ID_MARK.length

/** The beginning of a message's id upstream, in the signed bytes. */
const MESSAGE_MARK = 'wamid.verify.'

export function markedId(now: number): string {
  const id = ulid(now)
  return `${id.slice(0, TIME_DIGITS)}${ID_MARK}${id.slice(END_OF_MARK)}`
}

export interface SeenDelivery {
  readonly deliveryId: string | undefined
  readonly customers: readonly string[]
  readonly body: Uint8Array | undefined
}

/**
 * Tells a delivery of the matrix from one of the service. The id is not signed, so customers read from the bytes
 * decide.
 */
export function isFromMatrix({ deliveryId, customers, body }: SeenDelivery): boolean {
  if (customers.length > 0) return customers.every((customer) => customer === TEST_CUSTOMER)
  if (deliveryId !== undefined) return deliveryId.slice(TIME_DIGITS, END_OF_MARK) === ID_MARK
  return body !== undefined && Buffer.from(body).includes(MESSAGE_MARK)
}
