/**
 * Facts: what a handler needs out of a payload. The service does not publish payload fields, so each fact
 * comes with where it was found and how sure that is.
 */
export type How = 'mapped' | 'guessed' | 'inferred'

export interface Reading<T> {
  readonly value: T
  /**
   * Where in the payload it stood, in the payload's own spelling, for instance `data.from`; of a mapping the
   * path as the app wrote it, or `()` where the app gave a function.
   */
  readonly path: string
  readonly how: How
  /**
   * Whether it may carry consequences (a reply's recipient, the window, a message's identity): mapped by the
   * app, or found at a first-choice place with no other candidate that disagrees. A time also needs a zone.
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

/** What a `template.status` says; each member where it was found, `status` and `previousStatus` in lower case. */
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
  /** The person on the other side, by phone digits; absent where it is missing or hidden. */
  customer: string
  /** A hidden customer's id. Never sent to. */
  userId: string
  /** Our own number's id. */
  numberId: string
  messageId: string
  upstreamId: string
  kind: string
  text: string
  tapped: Tapped
  media: Media
  /** Milliseconds since the epoch, by the payload. */
  at: number
  status: string
  failureReason: string
  template: TemplateChange
}

export type Facts = { readonly [K in keyof FactValues]?: Reading<FactValues[K]> }

/** Something about a payload that a person should know; never with a value in it. */
export interface PayloadAlarm {
  readonly code:
    | 'not_json'
    | 'not_an_object'
    | 'too_deep'
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

/** What one delivery says to one customer: a delivery holds one, a batch several. */
export interface View {
  readonly facts: Facts
  /** Facts that the app maps under names of its own, for instance `orderId`; without a prototype. */
  readonly own?: Readonly<Record<string, Reading<unknown>>>
  readonly alarms: readonly PayloadAlarm[]
}

/** Either views, or the one reason why the payload cannot be understood (then it is quarantined). */
export type PayloadReading = { readonly views: readonly View[] } | { readonly refused: PayloadAlarm }

/**
 * The app's own idea of where one event's facts stand: fact → a path from the body (`data.order.id`,
 * `items[0].sku`), or a function of the parsed body. A mapped fact is never guessed: where the mapping finds
 * nothing, the fact is missing. A path under a name of the app's own gives a string, a function gives what it
 * likes. In a batch each message is mapped as though it had come alone, at index 0 of its list.
 */
export type FactMapping = Readonly<Record<string, string | ((json: unknown) => unknown)>>

/** What is known about a delivery besides its body. */
export interface PayloadContext {
  /** The event's name, from the header. */
  readonly event: string
  /** The delivery's id, from the header: a value equal to it is never a message's id. */
  readonly deliveryId: string | undefined
  /** The configured phone number id: a customer equal to our own number is refused. */
  readonly ownNumberId?: string
  readonly mapping?: FactMapping
  /** Service time in milliseconds; a payload's time far from it is not sure. */
  readonly now: number
}
