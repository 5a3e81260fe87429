/**
 * What the admin page asks its server, and what it is answered. Times are ISO 8601 unless they say otherwise; customers,
 * texts, names and ids that may hold a number are masked unless a view was revealed. A member that is undefined is absent.
 */

/** Every route, by the path below the page's own address, such as `api/deliveries?state=dead`. */
export interface Routes {
  'GET api/me': Me
  'GET api/health': Health
  /** Filters: `state` (any number of times), `event`, `number`, `customer` (a handle), `from` (ms); see `Paged`. */
  'GET api/deliveries': Page<DeliverySummary>
  'GET api/deliveries/SEQ': DeliveryView
  /** Filters: `state`, `number`, `customer` (a handle). Scheduled ones (`state=scheduled`) stand in the order of their times. */
  'GET api/sends': Page<SendSummary>
  'GET api/sends/ID': SendView
  /** Filters: `number`, `customer` (a handle). */
  'GET api/conversations': Page<ConversationSummary>
  /** Filter: `number`. In the order of their times. */
  'GET api/timers': Page<TimerSummary>
  'GET api/customers/HANDLE': CustomerView
  'GET api/payloads': { readonly events: readonly EventReport[] }
  'GET api/acts': Page<ActRecord>
  /** Server-sent events: `change`, with a `Change` as its data, at once and then at most one a second. */
  'GET api/stream': Change
  'POST api/search': Found
  /** The answer of a GET view, with nothing masked; recorded as an act. */
  'POST api/reveal': unknown
  'POST api/preview': Preview
  'POST api/act': Done
}

/** A page of a list: ask with `after=NEXT` until there is none, and `limit` (1 to 200, default 50). */
export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Opaque. Absent on the last page. */
  readonly next?: string | undefined
}

/** A refusal. `error` is a code to branch on; `message` is for a person. */
export interface Refusal {
  readonly error: RefusalCode
  readonly message: string
}

/** With the status that each has. `changed`: what was previewed is no longer what would be done. */
export const REFUSALS = {
  invalid: 400,
  unauthorized: 401,
  read_only: 403,
  not_revealed: 403,
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

/** The person who looks, and what they may do. */
export interface Me {
  readonly who: string
  /** Acts are refused. */
  readonly readOnly: boolean
  /** `POST api/reveal` is allowed. */
  readonly reveal: boolean
  readonly numbers: readonly string[]
}

/** How the bot stands. All but `process` is the same in all processes of a database. */
export interface Health {
  readonly at: string
  readonly waiting: { readonly deliveries: number; readonly items: number; readonly sends: number }
  /** For how long the message whose turn is next has waited, in milliseconds. */
  readonly lagMs: number
  /** Counts of what waits for a person. */
  readonly resting: Readonly<Record<RestingState, number>>
  readonly sends: { readonly scheduled: number; readonly held: number; readonly unknown: number }
  readonly conversations: number
  /** Numbers that send nothing, or only a probe now and then. */
  readonly throttled: readonly ThrottleView[]
  /** The database was brought back from a backup, and holds so many sends for that. */
  readonly restoredHeld?: number | undefined
  readonly process: ProcessHealth
}

export type RestingState = 'dead' | 'parked' | 'quarantined' | 'conflict' | 'suspected_replay'

export interface ThrottleView {
  readonly number: string
  readonly stopped: boolean
  readonly since: string
  /** Of a pause. */
  readonly until?: string | undefined
  readonly code?: string | undefined
  readonly toDo: string
}

/** This process since the page was made. */
export interface ProcessHealth {
  readonly role: string
  readonly since: string
  /** Deliveries stored in the last minute. */
  readonly perMinute: number
  /** Deliveries in a row that the service must take for failed; at 20 it disables the endpoint. */
  readonly failuresInARow: number
  readonly lanes: { readonly items: number; readonly sends: number }
  readonly plot: Plot
}

/** Counts in spans of equal length, the oldest first; the last span is under way. As a process lives on, spans grow longer. */
export interface Plot {
  readonly spanMs: number
  /** Of the first span, in milliseconds since the epoch. */
  readonly from: number
  readonly accepted: readonly number[]
  readonly handled: readonly number[]
  /** Attempts that failed, of items. */
  readonly failed: readonly number[]
  readonly sent: readonly number[]
  /** Sends refused or unknown. */
  readonly unsent: readonly number[]
  /** The longest that a message had waited when its handler began, in milliseconds. */
  readonly waitedMs: readonly number[]
}

export interface DeliverySummary {
  readonly seq: number
  readonly id?: string | undefined
  readonly event?: string | undefined
  readonly receivedAt?: string | undefined
  readonly ageSeconds: number
  /** How many of its items are in each state; its own state if it has none. */
  readonly states: Readonly<Record<string, number>>
  /** It waits for ingest. */
  readonly unsorted?: boolean | undefined
  readonly repeats: number
  readonly resembles?: number | undefined
  readonly note?: string | undefined
  /** The bot's own word, and no delivery of the service. */
  readonly own: boolean
  /** `retry` would put it back. */
  readonly retryable: boolean
  readonly items: readonly ItemSummary[]
}

export interface ItemSummary {
  readonly idx: number
  readonly kind: string
  readonly number: string
  readonly customer?: string | undefined
  /** Names the customer of this number to this page, also while it is masked. */
  readonly handle?: string | undefined
  readonly state: string
  readonly attempts: number
  readonly behind?: number | undefined
  readonly retryAt?: string | undefined
  readonly reason?: string | undefined
}

export interface DeliveryView extends Omit<DeliverySummary, 'items'> {
  readonly subscription: string
  /** Unix seconds, as signed. */
  readonly timestamp: number
  readonly clockOffsetMs?: number | undefined
  readonly sha256?: string | undefined
  readonly resembledBy?: readonly number[] | undefined
  /** One sentence for each state that it is in. */
  readonly why: readonly string[]
  readonly items: readonly ItemView[]
  /** What its handlers sent, in the order of recording. */
  readonly sent: readonly SendSummary[]
  /** The parsed body; absent once its bytes are gone. */
  readonly body?: unknown
}

export interface ItemView extends ItemSummary {
  readonly at?: string | undefined
  readonly createdAt?: string | undefined
  readonly settledAt?: string | undefined
  readonly facts?: object | undefined
  readonly cause?: string | undefined
  readonly identity?: string | undefined
  /** Handlers that do not run again, and names of `once`: how many, or which if revealed. */
  readonly finished?: number | readonly string[] | undefined
  readonly once?: number | readonly string[] | undefined
  /** The last attempt that failed: where, with the frames of its stack. */
  readonly failure?:
    | { readonly attempt: number; readonly route?: string | undefined; readonly frames: readonly string[] }
    | undefined
}

export interface SendSummary {
  readonly id: string
  readonly state: string
  readonly number: string
  readonly customer: string
  readonly handle: string
  readonly via: string
  readonly createdAt?: string | undefined
  readonly ageSeconds: number
  readonly dueAt?: string | undefined
  readonly attempts: number
  readonly code?: string | undefined
  readonly ref?: string | undefined
  readonly possiblyTwice: boolean
  /** What a person may say of it: `accepted`, `resend`, `drop`; `cancel` if it can be taken back. */
  readonly possible: readonly string[]
  readonly body?: unknown
}

export interface SendView extends SendSummary {
  readonly why: string
  readonly key: string
  readonly cause?: string | undefined
  readonly slot?: string | undefined
  /** The id of the delivery whose handler sent it. */
  readonly delivery?: string | undefined
  readonly firstAttemptAt?: string | undefined
  readonly attemptingSince?: string | undefined
  readonly nextAt?: string | undefined
  readonly expiresAt?: string | undefined
  readonly settledAt?: string | undefined
  readonly messageId?: string | undefined
  readonly upstreamId?: string | undefined
  readonly reason?: string | undefined
  readonly diverged: boolean
  readonly fallback?: { readonly key: string; readonly body: unknown } | undefined
  readonly codeWithheld: boolean
  readonly statuses: readonly {
    readonly status: string
    readonly at?: string | undefined
    readonly reason?: string | undefined
  }[]
}

export interface ConversationSummary {
  readonly id: string
  readonly number: string
  readonly customer: string
  readonly handle: string
  readonly name: string
  readonly version: number
  readonly openedAt?: string | undefined
  readonly steps: number
  readonly waits?:
    | { readonly for: 'answer' | 'time'; readonly since?: string | undefined; readonly until?: string | undefined }
    | undefined
}

export interface TimerSummary {
  readonly number: string
  readonly customer: string
  readonly handle: string
  readonly kind: string
  readonly dueAt?: string | undefined
}

/** One customer on one number. */
export interface CustomerView {
  readonly number: string
  readonly customer: string
  readonly handle: string
  /** The bot is silent: somebody has the customer, or they asked for the agent. */
  readonly mute?:
    | { readonly why: string; readonly since?: string | undefined; readonly until?: string | undefined }
    | undefined
  /** Of the customer's last message: the window of 24 hours begins there. */
  readonly lastInboundAt?: string | undefined
  readonly lastSentAt?: string | undefined
  readonly hasSession: boolean
  readonly conversation?: ConversationSummary | undefined
  readonly timers: readonly TimerSummary[]
  /** The last that was said, the oldest first. */
  readonly thread: readonly Said[]
}

export interface Said {
  readonly by: 'customer' | 'bot'
  readonly at?: string | undefined
  readonly kind: string
  /** Masked: its length, such as `[12 characters]`. */
  readonly text?: string | undefined
}

/** The payloads of an event as they were seen: paths, types and counts, and no value. */
export interface EventReport {
  readonly event: string
  readonly deliveries: number
  readonly messages: number
  readonly since?: string | undefined
  readonly facts: readonly {
    readonly fact: string
    readonly found: number
    readonly of: number
    readonly places: readonly {
      readonly path: string
      readonly how: string
      readonly found: number
      readonly sure: number
      readonly last?: string | undefined
    }[]
    readonly doubts: readonly {
      readonly path: string
      readonly doubt: string
      readonly seen: number
      readonly last?: string | undefined
    }[]
  }[]
  readonly shapes: readonly {
    readonly fingerprint: string
    readonly deliveries: number
    readonly messages: number
    readonly last?: string | undefined
    readonly paths: readonly string[]
    readonly truncated: boolean
  }[]
}

export interface ActRecord {
  readonly seq: number
  readonly at?: string | undefined
  readonly who: string
  readonly act: ActName | 'reveal'
  /** In words, without a number or a text of a customer. */
  readonly what: string
  /** How many it changed; absent if its end is not known, as of a process that died. */
  readonly count?: number | undefined
}

/** Says that something is another now: ask anew for what is shown. */
export interface Change {
  readonly health: Health
  /** The lists that may have changed since the last event; all of them in the first. */
  readonly changed: readonly ('deliveries' | 'sends' | 'conversations' | 'timers' | 'acts')[]
}

/** Body of `POST api/search`. The text is a delivery's id or number, a send's id, key or `ref`, or a customer's digits. */
export interface Search {
  readonly text: string
}

export interface Found {
  readonly deliveries: readonly DeliverySummary[]
  readonly sends: readonly SendSummary[]
  /** A customer's numbers, if the digits are known on any. */
  readonly customers: readonly { readonly number: string; readonly customer: string; readonly handle: string }[]
}

/** Body of `POST api/reveal`: the path of a GET view, such as `api/deliveries/12`. */
export interface Reveal {
  readonly view: string
}

/** Deliveries that are meant together, of those that rest: the states are `dead`, `parked`, `quarantined`, `conflict`, `suspected_replay` or `ignored`. */
export interface RetryFilter {
  readonly states: readonly string[]
  readonly event?: string | undefined
  readonly number?: string | undefined
  /** Milliseconds since the epoch: those that came then or later. */
  readonly from?: number | undefined
}

/** Body of `POST api/preview`. */
export interface AskPreview {
  readonly filter: RetryFilter
}

export interface Preview {
  /** For `POST api/act`: what is then done is what was shown, or nothing. */
  readonly token: string
  readonly deliveries: number
  readonly customers: number
  /** Deliveries with items in each state. */
  readonly states: Readonly<Record<string, number>>
  readonly events: Readonly<Record<string, number>>
  readonly oldest?: string | undefined
  readonly newest?: string | undefined
  /** More match: these are the oldest of them. */
  readonly more: boolean
}

/** Body of `POST api/act`. */
export type Act =
  | { readonly act: 'retry'; readonly deliveries: readonly number[] }
  | { readonly act: 'retry'; readonly filter: RetryFilter; readonly token: string }
  | { readonly act: 'resolve'; readonly send: string; readonly as: 'accepted' | 'resend' | 'drop' }
  /** One number, or all. `restored`: also what a database holds that was brought back from a backup. */
  | { readonly act: 'resume'; readonly number?: string | undefined; readonly restored?: boolean | undefined }
  | { readonly act: 'cancel'; readonly send: string }
  /** `minutes`: default 24 hours, at most 30 days. */
  | { readonly act: 'hand_over'; readonly customer: string; readonly minutes?: number | undefined }
  | { readonly act: 'hand_back'; readonly customer: string }
  | { readonly act: 'end_conversation'; readonly conversation: string }

export type ActName = Act['act']

export interface Done {
  /** How many were changed. */
  readonly count: number
  /** What was left alone, each with a reason. */
  readonly untouched: readonly { readonly what: string; readonly why: string }[]
}
