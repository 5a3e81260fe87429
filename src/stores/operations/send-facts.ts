import type { CustomerOfNumber, DueSend, Mute } from '../port/index.ts'
import { customerLane } from './lanes.ts'
import { type NewRow, sendOf } from './sends.ts'
import { one, sql, type Steps } from './steps.ts'
import { asThrottle, type ThrottleRow } from './throttles.ts'

/** The facts that decide, beside its row, whether a send goes out now, and how. The mute may be over. */
export type SendFacts = Omit<DueSend, 'send' | 'begun'>

interface Row extends ThrottleRow {
  readonly last_at: number | null
  readonly unread: unknown
  readonly why: Mute['why'] | null
  readonly muted_since: number
  readonly muted_until: number
}

export function* sendFacts({ number, customer }: CustomerOfNumber): Steps<SendFacts> {
  const row = (yield* one<Row>(sql`
    SELECT t.number, t.since, t.stopped, t.closed_until, t.in_a_row, t.code, t.reason, w.last_at,
      m.why, m.since AS muted_since, m.until AS muted_until, EXISTS (SELECT 1 FROM pending) AS unread
    FROM (SELECT ${number} AS number, ${customer} AS customer) AS c
    LEFT JOIN throttles t ON t.number = c.number
    LEFT JOIN mutes m ON m.number = c.number AND m.customer = c.customer
    LEFT JOIN lanes w ON w.key = ${customerLane({ number, customer })}`)) as Row
  const { why, muted_since: since, muted_until: until } = row
  return {
    throttle: row.number === null ? undefined : asThrottle(row),
    lastInboundAt: row.last_at ?? undefined,
    unread: Boolean(row.unread),
    mute: why === null ? undefined : { number, customer, why, since, until },
  }
}

/** A mute counts for replies alone. */
export function dueSend(row: NewRow, { mute, ...facts }: SendFacts): DueSend {
  return { send: sendOf(row, facts.throttle), ...facts, mute: row.unless_muted === 1 ? mute : undefined }
}
