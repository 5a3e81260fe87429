import type { CustomerOfNumber, OwnKind } from '../port/index.ts'
import { run, sql, type Steps } from './steps.ts'

/** A timer of a customer: one of each name, and the later arming stands. */
export interface Timer extends CustomerOfNumber {
  readonly kind: Extract<OwnKind, 'window_closing' | 'conversation_due'>
  readonly name: string
}

export interface Arming {
  /** Service time. */
  readonly dueAt: number
  /** The delivery in whose handling it is armed. */
  readonly seq: number
  /** The body of what it tells when it is due, as JSON. */
  readonly says: string
}

export function* arm({ number, customer, kind, name }: Timer, { dueAt, seq, says }: Arming): Steps<void> {
  yield* run(sql`
    INSERT INTO timers (number, customer, kind, name, due_at, seq, says)
    VALUES (${number}, ${customer}, ${kind}, ${name}, ${dueAt}, ${seq}, ${says})
    ON CONFLICT (number, customer, kind, name)
    DO UPDATE SET due_at = excluded.due_at, seq = excluded.seq, says = excluded.says`)
}

/** Takes a timer back. One that has come due is an item, and finds that it came too late. */
export function* disarm({ number, customer, kind, name }: Timer): Steps<void> {
  yield* run(sql`
    DELETE FROM timers WHERE number = ${number} AND customer = ${customer} AND kind = ${kind} AND name = ${name}`)
}
