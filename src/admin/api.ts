import { z } from 'zod'
import { RETRYABLE } from './inspect/delivery-states.ts'
import type * as deliveries from './inspect/delivery-view.ts'
import type * as sends from './inspect/send-view.ts'
import type { Answered } from '../store/store.ts'

// The interface between the admin page and its server. Times are ISO 8601 unless a comment says otherwise. Customers,
// texts, names and ids that may contain a phone number are masked unless a view was revealed. JSON leaves out undefined
// members.

/**
 * One page of a list. Request it with `after=NEXT` until `next` is absent, and with `limit` (1 to 200, default 50). A
 * page may have fewer rows, or none, although `next` is present, because no query reads a whole table.
 */
export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly next?: string | undefined
}

/** `error` is a code to branch on. `message` is for a person. */
export interface Refusal {
  readonly error: RefusalCode
  readonly message: string
}

export const REFUSALS = {
  invalid: 400,
  unauthorized: 401,
  read_only: 403,
  not_revealed: 403,
  may_not_write: 403,
  other_origin: 403,
  not_found: 404,
  method_not_allowed: 405,
  changed: 409,
  not_possible: 409,
  too_large: 413,
  failed: 500,
  not_started: 503,
} as const

export type RefusalCode = keyof typeof REFUSALS

export interface Me {
  readonly who: string
  readonly readOnly: boolean
  readonly reveal: boolean
  readonly write: boolean
  readonly everyNumber: boolean
  /** Empty if the numbers come from a source of the app. */
  readonly numbers: readonly string[]
}

const text = z.string().min(1).max(500)
const whole = z.int().min(0)

const retryFilter = z.strictObject({
  states: z.array(z.enum(RETRYABLE)).min(1),
  event: text.optional(),
  number: text.optional(),
})

const parameters = z.array(z.string().min(1).max(1_024)).max(50).default([])
const message = z.string().max(4_096).regex(/\S/, 'expected a text that is not blank')

const act = z.discriminatedUnion('act', [
  /** Either `deliveries`, or a `filter` with the token of its preview. */
  z.object({
    act: z.literal('retry'),
    deliveries: z.array(whole).min(1).max(200).optional(),
    filter: retryFilter.optional(),
    token: text.optional(),
  }),
  z.object({ act: z.literal('resolve'), send: text, as: z.enum(['accepted', 'resend', 'drop']) }),
  /** One number, or all. `restored`: also the sends that a database from a backup holds. */
  z.object({ act: z.literal('resume'), number: text.optional(), restored: z.boolean().default(false) }),
  z.object({ act: z.literal('cancel'), send: text }),
  /** `minutes`: default 24 hours, at most 30 days. */
  z.object({ act: z.literal('hand_over'), customer: text, minutes: z.int().min(1).max(43_200).default(1_440) }),
  z.object({ act: z.literal('hand_back'), customer: text }),
  /**
   * Either `text` or `template`. The page makes one `key` for each message, so that a repeated request sends it once. If
   * no person has the customer, it takes them over first.
   */
  z.object({
    act: z.literal('write'),
    customer: text,
    key: z.string().regex(/^[\w-]{8,100}$/),
    /** `newest` of the view that the person had before them: what has arrived since is not answered by this. */
    seen: whole,
    text: message.optional(),
    template: z.strictObject({ name: text, language: text, header: parameters, body: parameters }).optional(),
  }),
  z.object({ act: z.literal('end_conversation'), conversation: text }),
  z.object({ act: z.literal('announcement'), announcement: whole, to: z.enum(['running', 'paused', 'cancelled']) }),
])

export const BODIES = {
  /** The id or number of a delivery; the id or `ref` of a send; or, for a person with `reveal`, the key of a send or the digits of a customer. */
  search: z.object({ text }),
  /** The path of a GET view, such as `api/deliveries/12`. */
  reveal: z.object({ view: text }),
  preview: z.object({ filter: retryFilter }),
  act,
} as const

export type RetryFilter = z.infer<typeof retryFilter>
export type Act = z.input<typeof act>
export type AskedAct = z.infer<typeof act>
export type ActName = Act['act']

export interface State {
  readonly me: Me
  readonly health: Health
  readonly mark: string
}

export interface ActRecord {
  readonly seq: number
  readonly at?: string | undefined
  readonly who: string
  readonly act: ActName | 'reveal' | 'search'
  readonly what: string
  /** How many rows it changed. Absent if its process ended before that was recorded. */
  readonly count?: number | undefined
}

export interface Found {
  readonly deliveries: readonly DeliverySummary[]
  readonly sends: readonly SendSummary[]
  readonly customers: readonly CustomerName[]
}

export interface Preview {
  /** For `POST api/act`, which then does exactly what the preview showed, or nothing. */
  readonly token: string
  readonly deliveries: number
  readonly customers: number
  readonly more: boolean
}

export interface Done {
  readonly count: number
  readonly untouched: readonly { readonly what: string; readonly why: string }[]
}

/**
 * The state of the bot. All members except `failuresInARow` are the same in all processes of a database. Some counts
 * end at 10,000: see `MOST_COUNTED`.
 */
export interface Health extends Omit<Answered<'glance'>, 'newest'> {
  readonly waiting: { readonly deliveries: number; readonly items: number; readonly sends: number }
  readonly takenOver: number
  readonly lagMs: number
  readonly throttled: readonly ThrottleView[]
  readonly restoredHeld?: number | undefined
  /** Deliveries of this process in a row that the service counts as failed. At 20 it disables the endpoint. */
  readonly failuresInARow: number
}

export interface ThrottleView {
  readonly number: string
  readonly stopped: boolean
  readonly since: string
  readonly until?: string | undefined
  readonly code?: string | undefined
  readonly toDo: string
}

/** A customer of one number. The handle identifies them to this page, even while they are masked. */
export interface CustomerName {
  readonly number: string
  readonly customer: string
  readonly handle: string
}

interface Handle {
  readonly handle?: string | undefined
}

interface AboutDelivery {
  readonly own: boolean
  readonly retryable: boolean
}

type Summary = ReturnType<typeof deliveries.summaryOf>
type Details = ReturnType<typeof deliveries.detailsOf>

export type DeliverySummary = Omit<Summary, 'items'> & AboutDelivery & { readonly items: readonly ItemSummary[] }
export type ItemSummary = Summary['items'][number] & Handle
export type ItemView = Details['items'][number] & Handle

export interface DeliveryView extends Omit<Details, 'items' | 'sends'>, AboutDelivery {
  readonly why: readonly string[]
  readonly items: readonly ItemView[]
  readonly sent: readonly SendSummary[]
}

interface AboutSend {
  readonly handle: string
  /** How a person may settle it: `accepted`, `resend`, `drop`, `cancel`. */
  readonly possible: readonly string[]
}

export type SendSummary = Omit<ReturnType<typeof sends.summaryOf>, 'possible'> & AboutSend

export interface SendView extends Omit<ReturnType<typeof sends.detailsOf>, 'possible'>, AboutSend {
  readonly why: string
  readonly delivery?: string | undefined
}

export interface ConversationSummary extends CustomerName {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly openedAt?: string | undefined
  readonly steps: number
  readonly waits?:
    | { readonly for: 'answer' | 'time'; readonly since?: string | undefined; readonly until?: string | undefined }
    | undefined
}

export interface WaitingSummary extends CustomerName {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

export interface TemplateChoice {
  readonly name: string
  readonly language: string
  readonly text: string
  readonly header: number
  readonly body: number
}

export interface AnnouncementSummary {
  readonly id: number
  readonly number: string
  /** The app's own key. If masked, without long runs of digits. */
  readonly key: string
  readonly state: 'storing' | 'running' | 'paused' | 'cancelled' | 'done'
  readonly reason?: string | undefined
  readonly perMinute: number
  readonly total: number
  readonly sent: number
  readonly failed: number
  readonly optedOut: number
  readonly takenOver: number
  readonly waiting: number
  readonly createdAt?: string | undefined
  readonly endedAt?: string | undefined
}

export interface TimerSummary extends CustomerName {
  readonly kind: string
  readonly dueAt?: string | undefined
}

export interface CustomerView extends CustomerName {
  /** The bot does not reply: a person took the customer over, or the customer requested the agent. */
  readonly takenOver?:
    | { readonly by: string; readonly since?: string | undefined; readonly until?: string | undefined }
    | undefined
  /**
   * Present if a person has the customer and the window is not known to be open; empty if the list is not available
   * now.
   */
  readonly templates?: readonly TemplateChoice[] | undefined
  readonly optedOut?: { readonly at?: string | undefined; readonly how: string } | undefined
  readonly lastInboundAt?: string | undefined
  readonly lastSentAt?: string | undefined
  readonly hasSession: boolean
  readonly conversation?: ConversationSummary | undefined
  readonly timers: readonly TimerSummary[]
  readonly thread: readonly Said[]
  /** The newest message of this customer, by its row in the inbox; 0 if there is none. */
  readonly newest: number
  readonly deliveries: readonly DeliverySummary[]
  readonly sends: readonly SendSummary[]
}

export interface Said {
  readonly by: 'customer' | 'bot' | 'person' | 'agent'
  readonly at?: string | undefined
  readonly kind: string
  /** If masked, its length, such as `[12 characters]`. */
  readonly text?: string | undefined
}
