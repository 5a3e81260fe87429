import type { contentOf } from '../../../service/message-kinds.ts'

/** The body of a delivery, or an object in it. */
export type JsonObject = { readonly [member: string]: unknown }

/** How a fact was found: the service does not document payload fields. */
export type How = 'mapped' | 'guessed' | 'inferred'

export interface Reading<T> {
  readonly value: T
  /** In the payload's own spelling, such as `data.from`; of a mapping, the app's path, or `()` for a function. */
  readonly path: string
  readonly how: How
  /**
   * True if decisions may depend on the value: a reply's recipient, the window, a message's identity. A fact is sure if
   * the app maps it, or if it is at a certain place and no other place disagrees. A time also needs a zone.
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

export interface Location {
  readonly latitude: number
  readonly longitude: number
  readonly name?: string
  readonly address?: string
}

export interface Reaction {
  /** Undefined if the reaction was removed. */
  readonly emoji?: string
  /** The id of the message that the customer reacted to. */
  readonly to?: string
}

export interface Tapped {
  readonly id: string
  readonly title: string | undefined
}

/** The facts of a `template.status`. Statuses are in lower case. */
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
  /** The other person's phone number in digits; absent if missing or hidden. */
  customer: string
  userId: string
  numberId: string
  messageId: string
  upstreamId: string
  kind: string
  text: string
  tapped: Tapped
  media: Media
  location: Location
  reaction: Reaction
  /** The name in the customer's profile, which they chose themselves. */
  name: string
  /** True for the number's own message, which the service delivers back. */
  echo: boolean
  /** The payload's own time, in milliseconds since the epoch. */
  at: number
  status: string
  failureReason: string
  template: TemplateChange
}

export type FactName = keyof FactValues

/** Facts with several members. Each member, such as `media.url`, may be mapped and is read alone. */
export const COMPOSED = {
  tapped: ['id', 'title'],
  media: ['url', 'kind', 'mime', 'filename', 'caption', 'durationMs'],
  location: ['latitude', 'longitude', 'name', 'address'],
  reaction: ['emoji', 'to'],
  template: ['id', 'name', 'language', 'status', 'previousStatus', 'reason', 'category'],
} as const satisfies Partial<{ [F in FactName]: readonly (keyof FactValues[F])[] }>

export type ComposedFact = keyof typeof COMPOSED

export function isComposed(fact: string): fact is ComposedFact {
  return Object.hasOwn(COMPOSED, fact)
}

export type ContentFact = NonNullable<ReturnType<typeof contentOf>>

interface ContentIn {
  /** The words that the customer wrote or tapped. */
  readonly written: (values: Partial<FactValues>) => string | undefined
  /** The text that a person sees for the content if the customer wrote no words. */
  readonly shown?: (values: Partial<FactValues>) => string | undefined
  /** False for content that may be about another message. */
  readonly isMessage: boolean
}

/** In the order in which contents are shown. */
const CONTENTS: Readonly<Record<ContentFact, ContentIn>> = {
  text: { written: ({ text }) => text, isMessage: true },
  tapped: { written: ({ tapped }) => tapped?.title, isMessage: true },
  media: { written: ({ media }) => media?.caption, isMessage: true },
  reaction: { written: () => undefined, shown: ({ reaction }) => reaction?.emoji, isMessage: false },
  location: {
    written: () => undefined,
    shown: ({ location: at }) => at && `${at.name ?? ''} ${at.latitude}, ${at.longitude}`.trim(),
    isMessage: true,
  },
}

export const CONTENT_FACTS = Object.keys(CONTENTS) as readonly ContentFact[]

export function writtenIn(values: Partial<FactValues>): string | undefined {
  return first(({ written }) => written(values))
}

export function shownIn(values: Partial<FactValues>): string | undefined {
  return first(({ written, shown }) => written(values) ?? shown?.(values))
}

function first(read: (content: ContentIn) => string | undefined): string | undefined {
  for (const fact of CONTENT_FACTS) {
    const text = read(CONTENTS[fact])
    if (text !== undefined) return text
  }
  return undefined
}

export function isUnderstood(facts: Facts): boolean {
  return CONTENT_FACTS.some((fact) => facts[fact] !== undefined && CONTENTS[fact].isMessage)
}

export type Facts = { readonly [K in keyof FactValues]?: Reading<FactValues[K]> }

export type FoundFacts = { -readonly [K in keyof Facts]: Facts[K] }

export interface PayloadAlarm {
  readonly code:
    | 'not_json'
    | 'not_an_object'
    | 'too_deep'
    | 'too_many_members'
    | 'value_unstorable'
    | 'batch_too_large'
    | 'raw_upstream_payload'
    | 'fact_missing'
    | 'fact_conflict'
    | 'fact_unreadable'
    | 'fact_assumed'
    | 'fact_left_out'
    | 'content_missing'
    | 'list_unclear'
    | 'customer_number_hidden'
    | 'event_name_mismatch'
    | 'batch'
    | 'unknown_kind'
    | 'unknown_status'
    | 'unsafe_number'
  readonly fact?: string
  readonly path?: string
  /** The unknown kind or status, or the kind of a message without content. It may be anything, so no log shows it. */
  readonly word?: string
}

/** The facts of one message. A batch has several views. */
export interface View {
  readonly facts: Facts
  /** A required fact that is missing at the path that the app maps. The message is parked. */
  readonly missing?: FactName
  /** A list that may have several messages. It is not clear which facts belong to which, so the delivery is parked. */
  readonly unclear?: string
  /** True if neither the kind nor the content of the message is known. */
  readonly isEmpty?: true
  /** The app's own facts, for instance `orderId`. An object without a prototype. */
  readonly own?: Readonly<Record<string, Reading<unknown>>>
  readonly alarms: readonly PayloadAlarm[]
}

export type PayloadReading = { readonly views: readonly View[] } | { readonly refused: PayloadAlarm }

/**
 * The app's mapping for the facts of one event: fact → a path in the body (`data.order.id`, `items[0].sku`), several
 * paths of which the first with a value counts, or a function of the parsed body. A mapped fact is never guessed. A
 * path gives a string, a function any JSON value. In a batch each message is mapped as if it had arrived alone, at
 * index 0 of its list.
 */
export type FactMapping = Readonly<Record<string, string | readonly string[] | ((json: unknown) => unknown)>>

/** Words of payloads, in lower case, and what they mean by the app's options. */
export interface Words {
  readonly kinds: ReadonlyMap<string, string>
  readonly statuses: ReadonlyMap<string, string>
}

export interface PayloadContext {
  readonly event: string
  /** The delivery's id, from the header. An equal value in the body is never read as a message's id. */
  readonly deliveryId: string | undefined
  /** The option `phoneNumberId`. This id is never read as the customer. */
  readonly ownNumberId?: string | undefined
  readonly mapping?: FactMapping | undefined
  readonly words?: Words | undefined
  /** Compares spellings of phone numbers. Numbers that differ only in spelling are no conflict. */
  readonly sameCustomer?: { of(digits: string): string } | undefined
  /** Service time in milliseconds. A payload's time that is far from it is not reliable. */
  readonly now: number
}

export function isMessageOrStatus({ event }: PayloadContext): boolean {
  return event === 'message.received' || event === 'message.status'
}
