import { createHmac, randomBytes } from 'node:crypto'
import { ulid } from 'ulid'
import type { DeliveryHeaders } from '../contract/index.ts'

/** One request, as it goes over the wire. */
export interface Shot {
  /** What is particular about it, for people. */
  readonly what: string
  readonly method: string
  /** Behind the address, for instance `?test=1`. */
  readonly query: string
  /** In order; a name may stand twice. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  /** `stalled`: the body begins and never ends. `chunked`: its length is not declared. */
  readonly pace: 'whole' | 'chunked' | 'stalled'
  /** The signature that would have been right. */
  readonly right: string
}

/** How a delivery differs from a genuine one. */
export interface Draft {
  readonly what?: string
  readonly method?: string
  readonly query?: string
  readonly pace?: Shot['pace']
  readonly body?: Buffer | string
  /** What is signed, where it is not what is sent. */
  readonly signed?: Buffer | string
  /** What the header says, once or several times; `[]` leaves it out. */
  readonly timestamp?: string | readonly string[]
  /** What is signed as the time, where it is not what the header says. */
  readonly signedTimestamp?: string
  /** What the header says, made from the right signature. */
  readonly signature?: (right: string) => string | readonly string[]
  readonly secret?: string
  /** Another one than SHA-256, named in the header too. */
  readonly algorithm?: string
  readonly event?: string | readonly string[]
  readonly delivery?: string | readonly string[]
  readonly contentType?: string | readonly string[]
  readonly more?: readonly (readonly [string, string])[]
}

/** Makes shots for one subscription; each delivery has an id and a message of its own. */
export interface Make {
  /** A genuine delivery, but for what the draft says. */
  (draft?: Draft): Shot
  /** Unix seconds of now, and so many seconds beside it. */
  at(seconds?: number): string
  /** The body of a new message; `text` fills it. */
  message(text?: string): string
  id(): string
  /** How far from the edges of 300 s it stays, in seconds: more where two machines' clocks are compared. */
  readonly margin: number
}

export interface Subscription {
  readonly secret: string
  readonly names: DeliveryHeaders
  /** Wall time, ms. */
  readonly now: () => number
  readonly margin: number
}

export function maker({ secret, names, now, margin }: Subscription): Make {
  const at = (seconds = 0) => String(Math.floor(now() / 1_000) + seconds)
  const id = () => ulid(now())
  const message = (text = 'Habari') => messageBody(text, now())
  const make = (draft: Draft = {}): Shot => {
    const body = Buffer.from(draft.body ?? message())
    const timestamps = list(draft.timestamp ?? at())
    const signedTime = draft.signedTimestamp ?? timestamps[0] ?? ''
    const by = (algorithm: string) =>
      signatureOf(algorithm, Buffer.from(draft.signed ?? body), signedTime, draft.secret ?? secret)
    const right = by('sha256')
    const signatures = list(draft.signature?.(right) ?? (draft.algorithm === undefined ? right : by(draft.algorithm)))
    const named = (name: string, values: readonly string[]) => values.map((value) => [name, value] as const)
    return {
      what: draft.what ?? 'a genuine delivery',
      method: draft.method ?? 'POST',
      query: draft.query ?? '',
      pace: draft.pace ?? 'whole',
      headers: [
        ...named('Content-Type', list(draft.contentType ?? 'application/json')),
        ...named(names.event, list(draft.event ?? 'message.received')),
        ...named(names.delivery, list(draft.delivery ?? id())),
        ...named(names.timestamp, timestamps),
        ...named(names.signature, signatures),
        ...(draft.more ?? []),
      ],
      body,
      right,
    }
  }
  return Object.assign(make, { at, id, message, margin })
}

/** SIG-01 once more, by nobody's code but its own: a receiver of ours must not be judged by itself. */
function signatureOf(algorithm: string, body: Buffer, timestamp: string, secret: string): string {
  return `${algorithm}=${createHmac(algorithm, secret).update(`${timestamp}.`).update(body).digest('hex')}`
}

/** One of the shapes that such services use; the specification shows none. The sender is nobody's number. */
function messageBody(text: string, now: number): string {
  const token = randomBytes(8).toString('hex')
  return JSON.stringify({
    message_id: `msg_verify_${token}`,
    wa_message_id: `wamid.verify.${token}`,
    from: '999000000100',
    type: 'text',
    text: { body: text },
    timestamp: String(now),
  })
}

function list(values: string | readonly string[]): readonly string[] {
  return typeof values === 'string' ? [values] : values
}
