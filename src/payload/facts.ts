/**
 * How a fact was found. Facts are what a handler needs out of a payload; the service does not publish payload fields,
 * so each fact comes with its place and with how far it can be trusted.
 */
export type How = 'mapped' | 'guessed' | 'inferred'

export interface Reading<T> {
  readonly value: T
  /**
   * The value's place in the payload, in the payload's own spelling, for instance `data.from`; for a mapping the
   * path as the app wrote it, or `()` for a function.
   */
  readonly path: string
  readonly how: How
  /**
   * The value may carry consequences (a reply's recipient, the window, a message's identity): it is mapped by the
   * app, or found at a place of the first choice with no other candidate that disagrees. A time also needs a zone.
   */
  readonly sure: boolean
}

export interface Media {
  readonly kind: string
  readonly url: string
  readonly mime?: string
  readonly filename?: string
  readonly caption?: string
  readonly durationMs?: number
}

export interface Tapped {
  readonly id: string
  readonly title: string | undefined
}

/** The facts of a `template.status`; members that were not found are absent, statuses are in lower case. */
export interface TemplateChange {
  readonly id?: string
  readonly name?: string
  readonly language?: string
  readonly status?: string
  readonly previousStatus?: string
  readonly reason?: string
  readonly category?: string
}

export interface FactValues {
  /** The person on the other side, by phone digits; absent if missing or hidden. */
  customer: string
  /** A hidden customer's id. Never sent to. */
  userId: string
  numberId: string
  messageId: string
  upstreamId: string
  kind: string
  text: string
  tapped: Tapped
  media: Media
  /** The payload's own time, in milliseconds since the epoch. */
  at: number
  status: string
  failureReason: string
  template: TemplateChange
}

export type FactName = keyof FactValues

/**
 * Facts that not every message has: nothing is wrong if one is absent, unless the kind promises it or it stands
 * elsewhere.
 */
export const OPTIONAL_FACTS: ReadonlySet<string> = new Set<FactName>([
  'userId',
  'upstreamId',
  'text',
  'tapped',
  'media',
  'failureReason',
])

export type Facts = { readonly [K in keyof FactValues]?: Reading<FactValues[K]> }

export type FoundFacts = { -readonly [K in keyof Facts]: Facts[K] }

/** Something about a payload that a person should know; never with a value in it. */
export interface PayloadAlarm {
  readonly code:
    | 'not_json'
    | 'not_an_object'
    | 'too_deep'
    | 'batch_too_large'
    | 'raw_upstream_payload'
    | 'fact_missing'
    | 'fact_conflict'
    | 'fact_unreadable'
    | 'fact_assumed'
    | 'customer_number_hidden'
    | 'event_name_mismatch'
    | 'batch'
    | 'unknown_kind'
    | 'unknown_status'
    | 'unsafe_number'
  readonly fact?: string
  readonly path?: string
}

/** The facts of one message: a delivery gives one view, a batch several. */
export interface View {
  readonly facts: Facts
  /** A fact that the message must have and that is not at the path that the app maps: the message is parked. */
  readonly lost?: FactName
  /** Facts that the app maps under its own names, for instance `orderId`; an object without a prototype. */
  readonly own?: Readonly<Record<string, Reading<unknown>>>
  readonly alarms: readonly PayloadAlarm[]
}

/**
 * The shape of a body: where it has which type of value, and no value. A member's name that may be data, such as a
 * phone number or an id, stands as `*` in it, so that nothing of a customer is in a shape. The order of members and
 * the length of lists make no difference.
 */
export interface Shape {
  /** A short hash of the paths, in letters alone, since digits would look like a number. */
  readonly fingerprint: string
  /**
   * Sorted, each with its type: `data.from:string`, `messages[]:object`, `messages[].text:null`. The types are
   * `string`, `number`, `boolean`, `null`, `object` and `array`; a place with two types stands there twice. `json` is
   * the type of a text that holds an object, whose members follow like any object's.
   */
  readonly paths: readonly string[]
  /** The body is larger than a shape may be, so that the paths are not all that it has. */
  readonly truncated: boolean
}

/** Views, or the one reason why the payload cannot be understood (it is then quarantined). */
export type PayloadReading =
  | {
      readonly views: readonly View[]
      /** The payload's own name of its event, such as `message.received`. The header's name is the one that counts. */
      readonly eventName: string | undefined
      /** The body's shape, which is made when it is asked for. */
      readonly shape: () => Shape
    }
  | { readonly refused: PayloadAlarm }

/**
 * The app's mapping for the facts of one event: fact → a path from the body (`data.order.id`, `items[0].sku`), several
 * paths of which the first with a value counts, or a function of the parsed body. A mapped fact is never guessed: if
 * the mapping finds nothing, the fact is missing. Under a name of the app's own, a path gives a string, and a function
 * gives any JSON value. In a batch each message is mapped as though it had come alone, at index 0 of its list.
 */
export type FactMapping = Readonly<Record<string, string | readonly string[] | ((json: unknown) => unknown)>>

export interface PayloadContext {
  readonly event: string
  /** The delivery's id, from the header: a value equal to it is never a message's id. */
  readonly deliveryId: string | undefined
  /** The configured phone number id: a customer equal to our own number is refused. */
  readonly ownNumberId?: string | undefined
  readonly mapping?: FactMapping | undefined
  /** Service time in milliseconds; a payload's time far from it is not sure. */
  readonly now: number
}
