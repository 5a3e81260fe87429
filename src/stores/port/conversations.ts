import type { CustomerOfNumber } from './customers.ts'
import type { Fence } from './lanes.ts'

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
}

/** An open conversation, as the items of its customer see it. */
export interface OpenConversation {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly waits: Waits | undefined
}

/** A conversation with its steps, in their order. */
export interface Journal {
  /** Undefined if nothing is kept under this id. */
  readonly conversation: KeptConversation | undefined
  readonly steps: readonly JournalStep[]
}

export interface KeptConversation extends NewConversation {
  /** `entering`: a step is kept of it, and the item that enters it is not settled. */
  readonly state: 'entering' | 'open' | 'ended'
  readonly waits: Waits | undefined
  readonly ended: ConversationEnd | undefined
  /** Wall time. */
  readonly openedAt: number
}

/** A change of a conversation, written with the settlement of the item that made it. */
export interface ConversationChange {
  readonly id: string
  /** It opens now, also if it was open or had ended; another one of its customer that is open ends as `replaced`. */
  readonly opens?: NewConversation | undefined
  /** A step that the journal has already is replaced. */
  readonly steps?: readonly JournalStep[]
  /**
   * The conversation waits at another step, with a timer of its own in the place of the one before, or has ended.
   * Absent: it waits as before. A conversation that a person has ended meanwhile stays so.
   */
  readonly next?: { readonly waits: Waits } | { readonly ended: ConversationEnd }
}

/** The wish that a customer enters a conversation, as an item of the kind `enter` in the lane of their messages. */
export interface NewEntry extends CustomerOfNumber {
  readonly name: string
  readonly version: number
  /** As JSON. */
  readonly input: string | undefined
  /** The same wish is kept once; the item's cause is made of it. */
  readonly key: string
  /** Service time. */
  readonly at: number
}

/** An open conversation, as a person sees it. */
export interface ConversationRow extends NewConversation {
  /** Wall time. */
  readonly openedAt: number
  /** How many steps its journal has. */
  readonly steps: number
  readonly waits: Waits | undefined
}

export interface ConversationPage {
  readonly conversations: readonly ConversationRow[]
  /** The place to go on from; undefined if there are no more. */
  readonly next: CustomerOfNumber | undefined
}

/** Conversations and their journals. Opened, moved and ended they are by `Items.settleItem`. */
export interface Conversations {
  journalOf(conversation: string): Promise<Journal>

  /**
   * Stores a step of an item's run at once, such as the result of a `once`; the first one at its place stands. False if
   * the lane was lost. It lands as `keepOnce` does: never dropped, and before the settlement of its item.
   */
  keepStep(fence: Fence, item: number, conversation: NewConversation, step: JournalStep, now: number): Promise<boolean>

  /** Keeps a wish to enter a conversation. False if the lane was lost; a wish that is known is kept once. */
  recordEntry(entry: NewEntry, now: number, fence?: Fence): Promise<boolean>

  /** Open conversations, of one customer or of all, by number and customer: ask with `next` until there is none. */
  listConversations(query: {
    readonly number?: string
    readonly customer?: string
    readonly limit: number
    /** The `next` of the last page; absent for the first. */
    readonly after?: CustomerOfNumber | undefined
  }): Promise<ConversationPage>

  /** Ends an open conversation by a person's word, without a word to its customer. False if it is not open. */
  endConversation(id: string, now: number): Promise<boolean>
}
