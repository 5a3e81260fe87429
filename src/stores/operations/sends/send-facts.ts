import type { CustomerOfNumber, DueSend, Mute } from '../../port/index.ts'
import { customerLane } from '../lanes/lanes.ts'
import { one, sql, type Steps } from '../steps.ts'
import { type NewRow, sendOf } from './sends.ts'
import { asThrottle, type ThrottleRow } from './throttles.ts'

/** The facts that decide, beside its row, whether a send goes out now, and how. The mute may be over. */
export type SendFacts = Omit<DueSend, 'send' | 'begun'>

/** The facts as a statement gives them. */
export interface FactsRow extends ThrottleRow {
  readonly last_at: number | null
  readonly unread: unknown
  readonly why: Mute['why'] | null
  readonly muted_since: number
  readonly muted_until: number
}

/** The columns of `FactsRow`, of a customer of a number, `who`, with what is joined to it. */
export const FACTS = sql`
  t.number, t.since, t.stopped, t.closed_until, t.in_a_row, t.code, t.reason, w.last_at,
  m.why, m.since AS muted_since, m.until AS muted_until, EXISTS (SELECT 1 FROM pending) AS unread`

export const JOINED_FACTS = sql`
  LEFT JOIN throttles t ON t.number = who.number
  LEFT JOIN mutes m ON m.number = who.number AND m.customer = who.customer
  LEFT JOIN lanes w ON w.key = who.own_lane`

export function* sendFacts(who: CustomerOfNumber): Steps<SendFacts> {
  const { number, customer } = who
  const row = yield* one<FactsRow>(sql`
    SELECT ${FACTS}
    FROM (SELECT ${number} AS number, ${customer} AS customer, ${customerLane(who)} AS own_lane) AS who ${JOINED_FACTS}`)
  return factsIn(row as FactsRow, who)
}

export function factsIn(row: FactsRow, { number, customer }: CustomerOfNumber): SendFacts {
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
