import { z } from 'zod'
import type { RefusalCode } from '../../../admin/requests.ts'

// The requests of the desk's page, below the desk's own address, and the answers of its server:
//
//   GET  api/state            → `DeskState`, which the page reads once
//   GET  api/queue?list=…     → `QueuePage`. Optional: `number`, `after`, `limit` (1 to 200, default 50)
//   POST api/search           { text } → { rows: QueueRow[] }. `text`: a number or its end, a name, or words of a chat
//   POST api/visit            { customer, before? } → `Chat`. Begins or continues a visit, which is recorded once, with
//                             the count of messages that were read. `before`: that of a `Chat`, for older lines
//   POST api/presence         { customer, typing?, left? } → { again }. Every 20 s while a chat is open, and at each
//                             change. `again`: read the chat again, because until now the stream did not send its lines
//   GET  api/templates/ID     → { rows: TemplateChoice[] }. ID: `customer` of a row
//   POST api/act              `DeskAct` → `DeskDone`
//   POST api/upload?name=…&type=…  the bytes → { url }. Only if `state.uploads`
//   GET  api/manifest         → the web app manifest, with which a phone puts the desk on its home screen
//   GET  api/stream?browser=… → server-sent events: `DeskEvent`. At most four streams for each `browser` (optional),
//                             and 20 for each person
//
// Without a stream, the page reads `queue` and `visit` every few seconds. A refused request gets `Refusal` of
// `requests.ts`. Each POST has the header `x-switchhook-admin`. Times are ISO 8601, by the server's clock.

export const LISTS = ['waiting', 'mine', 'open', 'recent'] as const
export type ListName = (typeof LISTS)[number]

export interface DeskState {
  readonly me: DeskMe
  /** The bot's name; absent if the app gives none. */
  readonly name?: string | undefined
  readonly now: string
  readonly language: string
  /** Texts of the app, by name. They replace the page's own texts. */
  readonly texts: Readonly<Record<string, string>>
  readonly snippets: readonly { readonly name: string; readonly text: string }[]
  /** The people to whom a chat can be passed. Absent if the app gives no list: then any name is allowed. */
  readonly colleagues?: readonly string[] | undefined
  readonly uploads: boolean
  /** The address at which the app signs people out. */
  readonly signOut?: string | undefined
  readonly counts: Counts
}

export interface DeskMe {
  readonly who: string
  readonly write: boolean
  /** May read numbers, names and texts; otherwise they are masked. */
  readonly reveal: boolean
  /** The numbers that this person sees. Empty if the person sees all, and the app's option `numbers` is a source. */
  readonly numbers: readonly string[]
  readonly everyNumber: boolean
}

export interface Counts {
  readonly waiting: number
  readonly mine: number
}

export interface QueuePage {
  readonly rows: readonly QueueRow[]
  readonly next?: string | undefined
  readonly counts: Counts
}

export interface QueueRow {
  /** The row's id. It is the same in every answer. */
  readonly id: string
  /** The customer's handle, for requests. It may differ in each answer. Earlier handles stay valid. */
  readonly customer: string
  readonly number: string
  /** The customer's number; masked for a person without `reveal`. */
  readonly phone: string
  readonly name?: string | undefined
  /** The customer's place in the queue. `open`: the customer does not wait, and no wait has ended. */
  readonly state: 'waiting' | 'snoozed' | 'answered' | 'dismissed' | 'open'
  /** Since when the customer waits; absent unless the state is `waiting` or `snoozed`. */
  readonly since?: string | undefined
  /**
   * Why the customer waits. `failed`: a person's message did not arrive. `unread`: the bot could not answer messages
   * that were given back.
   */
  readonly why?: 'handed_over' | 'asked' | 'wrote' | 'failed' | 'unread' | undefined
  /** The end of a snooze. */
  readonly until?: string | undefined
  /** Whether the bot answers this customer's next message. It may do so while the customer waits for a person. */
  readonly bot: 'answers' | 'rests'
  /** The end of the bot's rest. */
  readonly restsUntil?: string | undefined
  readonly assignee?: string | undefined
  /** The person who answered or dismissed the wait. */
  readonly endedBy?: string | undefined
  /** The last message. A long text is cut. */
  readonly last?: Pick<Line, 'by' | 'who' | 'kind' | 'text' | 'at'> | undefined
  /** How many messages of this wait no person has answered yet, up to 100. */
  readonly unread: number
  /** The people who have the chat open now. */
  readonly present: readonly Present[]
}

export interface Chat {
  readonly row: QueueRow
  /** Oldest first. */
  readonly lines: readonly Line[]
  /** A request with this `before` returns older lines. Absent if there are none. */
  readonly before?: string | undefined
  /** The newest messages that the person has on the screen. Pass it as `seen` of an act. */
  readonly seen: Seen
  readonly window: { readonly open: boolean | 'unknown'; readonly closesAt?: string | undefined }
  readonly takenOver?:
    | { readonly by: 'person' | 'agent'; readonly since?: string | undefined; readonly until?: string | undefined }
    | undefined
  readonly optedOut?: string | undefined
  readonly now: string
}

/** The ids of the customer's newest message and of the newest message that a person wrote. */
export interface Seen {
  readonly message: number
  readonly send: number
}

export interface Line {
  /** The line's id. It never changes: a changed line replaces the line with the same id. */
  readonly id: string
  readonly by: 'customer' | 'bot' | 'person' | 'note'
  /** The writer of a message or a note. */
  readonly who?: string | undefined
  readonly at: string
  readonly kind: string
  /**
   * The text. Absent if the line has no text, or its text was pruned. A person who may not read texts gets the text's
   * length in brackets.
   */
  readonly text?: string | undefined
  readonly media?: { readonly url: string; readonly name?: string | undefined } | undefined
  /** Labels of buttons or rows of a list. */
  readonly options?: readonly string[] | undefined
  /** The state of a message that the bot or a person sent. */
  readonly state?: 'sending' | 'held' | 'sent' | 'delivered' | 'read' | 'failed' | 'unknown' | undefined
  /** Why a message failed, in the service's words. `whyNot`: the code of a refusal. */
  readonly why?: string | undefined
  readonly whyNot?: RefusalCode | undefined
  /** The colleague to whom this note passed the chat. */
  readonly passedTo?: string | undefined
}

export interface Present {
  readonly who: string
  readonly typing: boolean
}

export interface TemplateChoice {
  readonly name: string
  readonly language: string
  readonly text: string
  /** How many texts the person must fill into the header and into the body of the template. */
  readonly header: number
  readonly body: number
}

const text = z.string().min(1).max(500)
const whole = z.int().min(0)
const words = z.string().max(4_096).regex(/\S/, 'expected a text that is not blank')
const parameters = z.array(z.string().min(1).max(1_024)).max(50).default([])
const seen = z.strictObject({ message: whole, send: whole })

const act = z.discriminatedUnion('act', [
  /**
   * Sends exactly one of `text`, `template`, `media`, `snippet` and `again`. The bot rests from then on. The page makes
   * a `key` for each message: a repeat under the same key sends nothing. If the customer or a colleague has written
   * since `seen`, the answer is `unseen`: show the new messages, and if the person agrees, repeat with the new `seen`
   * and `confirmed`.
   */
  z.strictObject({
    act: z.literal('write'),
    customer: text,
    key: z.string().regex(/^[\w-]{8,100}$/),
    seen,
    confirmed: z.boolean().default(false),
    text: words.optional(),
    template: z.strictObject({ name: text, language: text, header: parameters, body: parameters }).optional(),
    media: z
      .strictObject({
        kind: z.enum(['image', 'video', 'audio', 'document']),
        url: z.url().max(2_048),
        caption: words.optional(),
        name: text.optional(),
      })
      .optional(),
    snippet: text.optional(),
    /** The `id` of a line whose message did not arrive. The same content is sent again. */
    again: text.optional(),
  }),
  /** Takes the customer over: the chat is assigned to this person, and the bot rests. */
  z.strictObject({ act: z.literal('take'), customer: text }),
  z.strictObject({ act: z.literal('pass'), customer: text, to: z.string().min(1).max(200), note: words.optional() }),
  z.strictObject({ act: z.literal('note'), customer: text, note: words }),
  /** Ends the wait without an answer. Refused with `unseen` under the same condition as `write`. */
  z.strictObject({ act: z.literal('dismiss'), customer: text, seen, confirmed: z.boolean().default(false) }),
  z.strictObject({ act: z.literal('snooze'), customer: text, minutes: z.int().min(1).max(43_200) }),
  /** Gives the customer back to the bot. `next`: it answers only later messages. `waiting`: also unanswered ones. */
  z.strictObject({ act: z.literal('give_back'), customer: text, answer: z.enum(['next', 'waiting']).default('next') }),
])

export const DESK_ACTS = act.options.map(({ shape }) => shape.act.value)

export const DESK_BODIES = {
  search: z.strictObject({ text }),
  visit: z.strictObject({ customer: text, before: text.optional() }),
  presence: z.strictObject({ customer: text, typing: z.boolean().default(false), left: z.boolean().default(false) }),
  act,
} as const

export type DeskAct = z.input<typeof act>
export type AskedDeskAct = z.infer<typeof act>

/** The result of an act. `count` is 0 if an earlier request has done it. */
export interface DeskDone {
  readonly count: number
  /** The row after the act. */
  readonly row: QueueRow
}

/** Names of server-sent events, with their JSON. */
export interface DeskEvent {
  /** Sent after each connect: read the lists and open chats again. */
  readonly hello: { readonly now: string }
  /** Customers whose rows have changed, at most once a second. */
  readonly rows: { readonly rows: readonly QueueRow[]; readonly counts: Counts }
  /** The newest lines of a chat that this person has open. If even the first is new, the page reads older ones. */
  readonly chat: Chat
  readonly present: { readonly id: string; readonly present: readonly Present[] }
  /** Sent once a minute: read the list again, because rows may have left it. */
  readonly refresh: { readonly now: string }
  /** `authorize` no longer returns this person. The stream ends. */
  readonly gone: Record<string, never>
}
