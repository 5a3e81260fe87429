import { attempt } from '../state/notice.ts'
import { change } from '../wire/control.ts'

/** What a customer does on the phone, as the control API takes it. */
export interface Writing {
  readonly text?: string
  readonly tap?: string
  readonly quickReply?: string
  readonly media?: {
    readonly kind: string
    readonly url: string
    readonly mime?: string
    readonly filename?: string
    readonly caption?: string
    readonly durationMs?: number
  }
  readonly number?: string
}

/** The customer writes, taps or sends; what comes of it arrives by the stream. */
export function writeAs(customer: string, writing: Writing, refused?: () => void): void {
  attempt(() => change('POST', `customers/${customer}/messages`, writing), refused)
}

/** A message comes a step further by hand. */
export function moveOn(customer: string, status: string, messageId: string): void {
  attempt(() => change('POST', `customers/${customer}/statuses`, { status, messageId }))
}
