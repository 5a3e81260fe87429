import type { InboundMediaKind } from '../../contract/message-kinds.ts'
/**
 * A conversation as a file: `s.play(file)` runs it in a test, `switchhook play FILE` against a running app, and
 * `playAsTest(file)` writes it as a test.
 */
export interface PlayFile {
  /** The version of this form. */
  readonly switchhook: 1
  /** What the conversation is about; a test of it is called so. */
  readonly name: string
  /** What the service has approved. Default: none. */
  readonly templates?: readonly ScenarioTemplate[]
  readonly steps: readonly PlayStep[]
}

/** A template that the service has approved, on every number. */
export type ScenarioTemplate = {
  readonly name: string
  readonly language: string
} & (
  | {
      /** The text, with `{{1}}`, `{{2}}` … for its parameters. */
      readonly body: string
      readonly category?: 'UTILITY' | 'MARKETING'
    }
  /** For one-time codes: the text is the service's own. */
  | { readonly category: 'AUTHENTICATION' }
)

/** One thing that happens: a customer does something, an event comes, or time passes. */
export type PlayStep = PlayAct & {
  /** All that the step brings, in its order; `[]`: nothing. Left out: whatever comes is right. */
  readonly expect?: readonly PlayExpected[]
}

export type PlayAct = CustomerAct | EventAct | TimeAct

export type CustomerAct = {
  /** The digits of a phone number. */
  readonly customer: string
  /** The business's number that is written to: its `phoneNumberId`, in tests also its name in the bot. Default: the first. */
  readonly number?: string
} & (
  | { readonly says: string }
  /** A button, row or quick reply that the phone shows, by its id or its title. */
  | { readonly taps: string }
  | { readonly sends: PlayMedia }
)

export interface EventAct {
  /** The event's name. */
  readonly event: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly number?: string
}

export interface TimeAct {
  /** A span such as `'25h'`. */
  readonly advance: string
}

export interface PlayMedia {
  readonly kind: InboundMediaKind
  readonly url: string
  readonly mime?: string
  readonly filename?: string
  readonly caption?: string
  readonly durationMs?: number
}

/** What one message must have; what is left out may be anything. */
export interface PlayExpected {
  /** Whom it goes to, by the digits of a phone number. */
  readonly to?: string
  /** All that is written in it. */
  readonly text?: string
  /** `text`, `interactive`, `template`, `image` … */
  readonly kind?: string
  readonly template?: { readonly name: string; readonly language?: string; readonly body?: readonly string[] }
  /** The titles of its buttons, rows and quick replies, all of them and in their order. */
  readonly options?: readonly string[]
  /** The code with which the service refused it. Left out: it was not refused. */
  readonly refused?: string
}
