import type { CustomerOfNumber, OwnKind, WindowMove } from '../../port/index.ts'
import { run, sql, type Steps } from '../steps.ts'
import { customerLane } from './lanes.ts'

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

/**
 * Arms the timers of a customer's window, before the window moves: a message that does not move it, such as one that
 * comes late or again, arms none.
 */
export function* armWindow({ number, customer, lastAt, closing = [] }: WindowMove, seq: number): Steps<void> {
  for (const { before, dueAt } of closing)
    yield* run(sql`
      INSERT INTO timers (number, customer, kind, name, due_at, seq, says)
      SELECT ${number}, ${customer}, 'window_closing', ${String(before)}, ${dueAt}, ${seq},
        ${JSON.stringify({ before, lastAt })}
      WHERE NOT EXISTS (SELECT 1 FROM lanes WHERE key = ${customerLane({ number, customer })} AND last_at >= ${lastAt})
      ON CONFLICT (number, customer, kind, name)
      DO UPDATE SET due_at = excluded.due_at, seq = excluded.seq, says = excluded.says
        WHERE excluded.due_at > timers.due_at`)
}
