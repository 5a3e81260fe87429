import type { InboundMediaKind } from '../../contract/message-kinds.ts'

/**
 * A conversation as a file: `s.play(file)` runs it in a test, `switchhook play FILE` against a running app, and
 * `playAsTest(file)` writes it as a test.
 */
export interface PlayFile {
  /** The version of the file format. */
  readonly switchhook: 1
  /** The title of the conversation, and of a test made from it. */
  readonly name: string
  /** The templates that the service has approved. Default: none. */
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
  /** For one-time codes; the text is the service's own. */
  | { readonly category: 'AUTHENTICATION'; readonly body?: never }
)

/** One step: a customer does something, an event comes, or time passes. */
export type PlayStep = PlayAct & {
  /** All messages that the step brings, in their order; `[]`: none. Left out: anything is right. */
  readonly expect?: readonly PlayExpected[]
}

export type PlayAct = CustomerAct | EventAct | TimeAct

export type CustomerAct = Who & (Written | Tapped | InARow)

export interface Who {
  /** The digits of a phone number. */
  readonly customer: string
  /** The business's number: its `phoneNumberId`, in tests also its name in the bot. Default: the first. */
  readonly number?: string
}

/** One message that is written: a text, or media. */
export type Written = { readonly says: string } | { readonly sends: PlayMedia }

export interface Tapped {
  /** A button, row or quick reply that the phone shows, by its id or its title. */
  readonly taps: string
}

export interface InARow {
  /** Several messages at once: with the bot's option `burst`, one turn of its handler. */
  readonly writes: readonly Written[]
}

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

/** The members that one message must have; a member that is left out may be anything. */
export interface PlayExpected {
  /** The recipient, by the digits of a phone number. */
  readonly to?: string
  /** The whole text. */
  readonly text?: string
  /** `text`, `interactive`, `template`, `image` … */
  readonly kind?: string
  readonly template?: { readonly name: string; readonly language?: string; readonly body?: readonly string[] }
  /** The titles of all its buttons, rows and quick replies, in their order. */
  readonly options?: readonly string[]
  /** The code with which the service refused the message. Left out: the message was not refused. */
  readonly refused?: string
}

/** Describes a step for people, in one line: `255712000101 says "hours"`. */
export function describeStep(step: PlayAct): string {
  if ('advance' in step) return `${step.advance} pass`
  const at = step.number === undefined ? '' : ` to ${step.number}`
  if ('event' in step) return `${step.event} comes${at}`
  return `${step.customer} ${describeAct(step)}${at}`
}

function describeAct(step: CustomerAct): string {
  if ('taps' in step) return `taps ${JSON.stringify(step.taps)}`
  if ('writes' in step) return step.writes.map(describeWritten).join(', ')
  return describeWritten(step)
}

function describeWritten(one: Written): string {
  if ('says' in one) return `says ${JSON.stringify(one.says)}`
  const { kind, caption, url } = one.sends
  return `sends ${kind} ${caption === undefined ? url : JSON.stringify(caption)}`
}
