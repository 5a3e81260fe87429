import type { ActRecord, Done, Found, Preview } from './acts.ts'
import type { Health } from './health.ts'
import type {
  ConversationSummary,
  CustomerView,
  DeliverySummary,
  DeliveryView,
  EventReport,
  SendSummary,
  SendView,
  TimerSummary,
} from './views.ts'

/** Every route, by the path below the page's own address, such as `api/deliveries?state=dead`. */
export interface Routes {
  'GET api/me': Me
  'GET api/health': Health
  /** Filters: `state` (any number of times), `event`, `number`, `from` (ms), `customer` (a handle: alone, or with the states that are not `done`). */
  'GET api/deliveries': Page<DeliverySummary>
  'GET api/deliveries/SEQ': DeliveryView
  /** Filters: `state`, `number`; or `customer` (a handle) alone. Scheduled ones (`state=scheduled`) stand in the order of their times. */
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
  /** If it is for a customer, it is recorded as an act; at most 30 a minute for each person. */
  'POST api/search': Found
  /** The answer of a GET view, with nothing masked; recorded as an act. */
  'POST api/reveal': unknown
  'POST api/preview': Preview
  'POST api/act': Done
}

/**
 * A page of a list: ask with `after=NEXT` until there is none, and `limit` (1 to 200, default 50). A page may have fewer
 * rows than that, or none, although there is a next one: no question looks through a whole table.
 */
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
  too_many: 429,
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
  /** The bot's numbers; none if they come from a source of the app's. */
  readonly numbers: readonly string[]
}

/** Says that something is another now: ask anew for what is shown. */
export interface Change {
  readonly health: Health
  /** The lists that may have changed since the last event; all of them in the first. */
  readonly changed: readonly ('deliveries' | 'sends' | 'conversations' | 'timers' | 'acts')[]
}
