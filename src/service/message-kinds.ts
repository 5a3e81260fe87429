/** The kinds of messages. CONTRIBUTING.md says how to add one. */

interface OutboundKind {
  readonly requires: readonly string[]
  /** Any other member is ignored (SEND-04). */
  readonly reads: readonly string[]
  /** The customer can play it, so its status may become `played` (EVT-04). */
  readonly playable: boolean
}

export const OUTBOUND_KINDS = {
  text: { requires: ['text'], reads: [], playable: false },
  template: { requires: ['template_name', 'template_language'], reads: ['template_components'], playable: false },
  image: { requires: ['media_url'], reads: ['media_caption'], playable: false },
  document: { requires: ['media_url'], reads: ['media_caption', 'media_filename'], playable: false },
  video: { requires: ['media_url'], reads: ['media_caption'], playable: false },
  audio: { requires: ['media_url'], reads: [], playable: true },
  interactive: { requires: ['interactive'], reads: [], playable: false },
} as const satisfies Record<string, OutboundKind>

/** The `type` of a send (SEND-02). */
export type MessageType = keyof typeof OUTBOUND_KINDS

export const MESSAGE_TYPES = Object.keys(OUTBOUND_KINDS) as readonly MessageType[]

/** A member of a send's body that some type reads. */
export type MessageMember = (typeof OUTBOUND_KINDS)[MessageType]['requires' | 'reads'][number]

/** The types that send a file by its address. */
export type MediaType = {
  [T in MessageType]: 'media_url' extends (typeof OUTBOUND_KINDS)[T]['requires'][number] ? T : never
}[MessageType]

/**
 * True for a `type` that a send accepts.
 *
 *     isMessageType('text') // true
 */
export function isMessageType(value: unknown): value is MessageType {
  return typeof value === 'string' && Object.hasOwn(OUTBOUND_KINDS, value)
}

/**
 * True if a send of this type reads this member of the body.
 *
 *     readsMember('image', 'media_caption') // true
 */
export function readsMember(type: MessageType, member: MessageMember): boolean {
  const { requires, reads }: OutboundKind = OUTBOUND_KINDS[type]
  return requires.includes(member) || reads.includes(member)
}

/** The media that a template's header takes as a parameter (SEND-12). */
export const HEADER_MEDIA = ['image', 'video', 'document'] as const

export type HeaderMedium = (typeof HEADER_MEDIA)[number]

/**
 * The kinds of a customer's message, each with the fact that has its content (EVT-03). The specification names none, so
 * these are the kinds of comparable services.
 */
export const INBOUND_KINDS = {
  text: 'text',
  image: 'media',
  audio: 'media',
  video: 'media',
  document: 'media',
  interactive: 'tapped',
  button: 'tapped',
  location: 'location',
  contacts: undefined,
} as const satisfies Record<string, 'text' | 'media' | 'tapped' | 'location' | undefined>

/**
 * The kinds that nobody wrote, each with its fact. `unknown`: what a platform marks as unsupported, and a message of an
 * unknown kind without content. We assume these names, and that these messages answer no question.
 */
export const SIGNAL_KINDS = {
  reaction: 'reaction',
  edited: undefined,
  deleted: undefined,
  sticker: undefined,
  call: undefined,
  system: undefined,
  unknown: undefined,
} as const satisfies Record<string, 'reaction' | undefined>

export type SignalKind = keyof typeof SIGNAL_KINDS

/**
 * True for the kind of a message that nobody wrote, such as a reaction: it is no answer to anything.
 *
 *     isSignal('reaction') // true
 */
export function isSignal(kind: string | undefined): kind is SignalKind {
  return kind !== undefined && Object.hasOwn(SIGNAL_KINDS, kind)
}

/** The signals that do not count as a message of the customer, and so do not move the window (an assumption). */
export const SILENT_SIGNALS: ReadonlySet<string | undefined> = new Set<SignalKind>(['edited', 'deleted', 'system'])

export type InboundKind = keyof typeof INBOUND_KINDS

/** The kinds that the library knows. It reads no content of a `template` and an `order`. */
export const KNOWN_KINDS: ReadonlySet<string> = new Set([
  ...Object.keys(INBOUND_KINDS),
  ...Object.keys(SIGNAL_KINDS),
  'template',
  'order',
])

const CONTENTS = { ...INBOUND_KINDS, ...SIGNAL_KINDS }

/** The fact that has the content of a kind; undefined for a kind without one. */
export function contentOf(kind: string | undefined): (typeof CONTENTS)[keyof typeof CONTENTS] {
  return kind !== undefined && Object.hasOwn(CONTENTS, kind) ? CONTENTS[kind as keyof typeof CONTENTS] : undefined
}

export type InboundMediaKind = {
  [K in InboundKind]: (typeof INBOUND_KINDS)[K] extends 'media' ? K : never
}[InboundKind]

export const INBOUND_MEDIA_KINDS = (Object.keys(INBOUND_KINDS) as InboundKind[]).filter(
  (kind): kind is InboundMediaKind => INBOUND_KINDS[kind] === 'media',
)
