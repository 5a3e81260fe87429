export interface CustomerOfNumber {
  readonly number: string
  readonly customer: string
}

/** Somebody else has the customer: a person, or the service's agent, since the customer typed `BOT`. Service time. */
export interface TakenOver {
  readonly by: 'agent' | 'person'
  readonly since: number
  readonly until: number
  /** The cause of the item whose handler handed the customer over; undefined if no handler did. */
  readonly cause?: string | undefined
}

export interface NewTakeover extends CustomerOfNumber, Omit<TakenOver, 'cause'> {}

/** That a customer refuses marketing, or agrees to it again. `at`: service time. `how`: a word of the app's for the way. */
export interface OptOut extends CustomerOfNumber {
  readonly at: number
  readonly how: string
}

/** The state of a customer at a service time. */
export interface CustomerState {
  /** The session that was stored with a settlement, unless it has expired. */
  readonly session: Session | undefined
  /** The take-over that is in force: somebody else speaks to this customer for a while, and not the bot. */
  readonly takenOver: TakenOver | undefined
  /** Service time of the last send to this customer that the service took. */
  readonly lastSentAt: number | undefined
  /** Service time of the customer's last message, if it is known and trusted. */
  readonly lastInboundAt: number | undefined
}

/** The app's own state about one customer, as JSON. */
export interface Session {
  readonly value: string
  readonly version: number
}

/** A change of a session that was read before. */
export interface SessionWrite {
  /** The value that was read, at that service time; undefined if there was none. */
  readonly before: string | undefined
  readonly readAt: number
  /** The value before the change, if that is not the one that was read: the schema's defaults, or what it migrated. */
  readonly base?: string | undefined
  readonly value: string | undefined
  readonly version: number
  /** Service time; undefined: never. */
  readonly expiresAt: number | undefined
}

/**
 * Why a conversation ended. `replaced`: another one was entered while it was open. `by_person`: somebody ended it who
 * looked after the inbox.
 */
const CONVERSATION_ENDS = [
  'finished',
  'cancelled',
  'timeout',
  'too_many_tries',
  'changed',
  'failed',
  'replaced',
  'by_person',
] as const

export type ConversationEnd = (typeof CONVERSATION_ENDS)[number]

/** A conversation that a script holds with one customer. A customer has at most one open on a number. */
export interface NewConversation extends CustomerOfNumber {
  /**
   * Made of the cause that entered it and of its name, so that a rerun makes the same conversation. It is the cause of
   * the conversation's sends too: they are kept as long as the conversation.
   */
  readonly id: string
  readonly name: string
  readonly version: number
  /** As JSON; undefined if its script takes none. */
  readonly input: string | undefined
}

export interface JournalStep {
  /** Its place in the journal, from 0. */
  readonly step: number
  /** The script's call, such as `ask`, `say` or `once`. */
  readonly kind: string
  readonly name: string
  /** As JSON; undefined while it has none, as an open question. */
  readonly result: string | undefined
}

/** A step at which a script waits: for the customer's answer, or for a time alone. Service time. */
export interface Waits {
  readonly step: number
  readonly for: 'answer' | 'time'
  readonly since: number
  /** The time at which the wait ends, by an item of the kind `conversation_due`; undefined: the wait has no end. */
  readonly dueAt: number | undefined
  /** An earlier time, at which such an item reminds of the question. */
  readonly remindAt?: number | undefined
}

/** An open conversation, as the items of its customer see it. */
export interface OpenConversation {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly waits: Waits | undefined
}

export interface ConversationChange {
  readonly id: string
  /** It opens now, also if it was open or had ended; another one of its customer that is open ends as `replaced`. */
  readonly opens?: NewConversation | undefined
  /** A step that the journal has already is replaced. */
  readonly steps?: readonly JournalStep[]
  /**
   * The conversation waits at another step, with its own timer in the place of the one before, or has ended. `at`: the
   * service time of this, default `waits.since`. Absent: it waits as before. A conversation that a person has ended
   * meanwhile stays so.
   */
  readonly next?: { readonly waits: Waits; readonly at?: number } | { readonly ended: ConversationEnd }
}

/** The wish that a customer enters a conversation, as an item of the kind `enter` in the lane of their messages. */
export interface NewEntry extends CustomerOfNumber {
  readonly name: string
  readonly version: number
  readonly input: string | undefined
  /** The same wish is kept once; the item's cause is made of it. */
  readonly key: string
  /** Service time. */
  readonly at: number
}

export interface ConversationRow extends NewConversation {
  /** Wall time. */
  readonly openedAt: number
  readonly steps: number
  readonly waits: Waits | undefined
}

/** The last that was said between a customer and the bot, each side newest first. Erased rows are not in it. */
export interface History {
  /** Messages whose handling has begun; a message that waits for its turn is not among them. */
  readonly received: readonly Received[]
  /** Sends that the service took, without one-time codes. */
  readonly sent: readonly Sent[]
}

export interface Received {
  /** Service time. */
  readonly at: number
  /** Wall time. */
  readonly receivedAt: number
  /** Service time minus wall time when the message came. */
  readonly clockOffset: number
  readonly cause: string
  /** Undefined once they were wiped by age. */
  readonly facts: string | undefined
}

export interface Sent {
  /** Wall time. */
  readonly acceptedAt: number
  readonly cause: string
  readonly slot: string
  /** The bytes that went out. */
  readonly body: string
}
