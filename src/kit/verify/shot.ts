import { createHmac, randomBytes } from 'node:crypto'
import type { DeliveryHeaders } from '../../service/delivery.ts'
import { ulid } from 'ulid'

export interface Shot {
  /** Describes to people how the request differs from a genuine one. */
  readonly what: string
  readonly method: string
  readonly query: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  readonly chunked: boolean
  readonly rightSignature: string
}

export interface ShotOptions {
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

export type Make = ReturnType<typeof maker>

interface MakerOptions {
  readonly secret: string
  readonly names: DeliveryHeaders
  /** Wall time in ms. All shots of a check have the same time, because a new second may begin while they are made. */
  readonly now: number
  /** The distance in seconds that timestamps keep from the limit of 300 s. */
  readonly margin: number
}

/** Returns a function that makes shots. Each delivery gets its own id and message. */
export function maker({ secret, names, now, margin }: MakerOptions) {
  const at = (seconds = 0) => String(Math.floor(now / 1_000) + seconds)
  const id = () => markedId(now)
  const message = (text = 'Habari') => messageBody(text, now)
  const make = (o: ShotOptions = {}): Shot => {
    const body = Buffer.from(o.body ?? message())
    const timestamps = list(o.timestamp ?? at())
    const signedTime = o.signedTimestamp ?? timestamps[0] ?? ''
    const signedBy = (algorithm: string) =>
      signatureOf(algorithm, Buffer.from(o.signed ?? body), signedTime, o.secret ?? secret)
    const right = signedBy('sha256')
    const signatures = list(o.signature?.(right) ?? (o.algorithm === undefined ? right : signedBy(o.algorithm)))
    const named = (name: string, values: readonly string[]) => values.map((value) => [name, value] as const)
    return {
      what: o.what ?? 'a genuine delivery',
      method: o.method ?? 'POST',
      query: o.query ?? '',
      chunked: o.chunked ?? false,
      headers: [
        ...named('Content-Type', list(o.contentType ?? 'application/json')),
        ...named(names.event, list(o.event ?? 'message.received')),
        ...named(names.delivery, list(o.delivery ?? id())),
        ...named(names.timestamp, timestamps),
        ...named(names.signature, signatures),
        ...(o.more ?? []),
      ],
      body,
      rightSignature: right,
    }
  }
  return Object.assign(make, { at, id, message, margin })
}

/** Signs as SIG-01 states. Shares no code with the receiver that it judges. */
function signatureOf(algorithm: string, body: Buffer, timestamp: string, secret: string): string {
  return `${algorithm}=${createHmac(algorithm, secret).update(`${timestamp}.`).update(body).digest('hex')}`
}

/** A shape that comparable services use: the specification shows none. */
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

/** Follows the time in the id of each test delivery. By chance, one of 10^12 ids of the service has it there too. */
const ID_MARK = '0VER1FY0'
const TIME_DIGITS = 10
const END_OF_MARK = TIME_DIGITS + ID_MARK.length

/** The upstream id of each test message begins with this. The signature covers that id. */
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

/** True for a delivery of the matrix. The id is not signed, so it decides only if no customer is known. */
export function isFromMatrix({ deliveryId, customers, body }: SeenDelivery): boolean {
  if (customers.length > 0) return customers.every((customer) => customer === TEST_CUSTOMER)
  if (deliveryId !== undefined) return deliveryId.slice(TIME_DIGITS, END_OF_MARK) === ID_MARK
  return body !== undefined && Buffer.from(body).includes(MESSAGE_MARK)
}
