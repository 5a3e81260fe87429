import { one, sql, type Steps } from '../steps.ts'

/** The times of a customer's window; service time. */
export interface Window {
  /** The customer's last message. */
  readonly lastAt?: number | undefined
  /** The latest message that was handled. */
  readonly handledAt?: number | undefined
  /** The last send that the service took. */
  readonly sentAt?: number | undefined
}

export interface WindowRow {
  readonly last_at: number | null
  readonly handled_at: number | null
  readonly sent_at: number | null
}

/** The window of the customer whose lane that is. */
export function* windowOf(lane: string): Steps<Window> {
  const row = yield* one<WindowRow>(sql`SELECT last_at, handled_at, sent_at FROM lanes WHERE key = ${lane}`)
  return row ? windowIn(row) : {}
}

export function windowIn({ last_at: last, handled_at: handled, sent_at: sent }: WindowRow): Window {
  return { lastAt: last ?? undefined, handledAt: handled ?? undefined, sentAt: sent ?? undefined }
}
