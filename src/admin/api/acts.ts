import type { DeliverySummary, SendSummary } from './views.ts'

export interface ActRecord {
  readonly seq: number
  readonly at?: string | undefined
  readonly who: string
  readonly act: ActName | 'reveal' | 'search'
  /** In words, without a number or a text of a customer. */
  readonly what: string
  /** How many it changed; absent if its end is not known, as of a process that died. */
  readonly count?: number | undefined
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
  /** A handle: those of one customer. */
  readonly customer?: string | undefined
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
  /** Things that were left alone, each with a reason. */
  readonly untouched: readonly { readonly what: string; readonly why: string }[]
}
