import { numbersWithShare } from '../work/share.ts'
import { addressed, conditionsOf, type DueSend, dueSend, type SendConditions } from './send-attempts.ts'
import { NOT_CLOSED } from './send-rules.ts'
import { NEXT_SEND, NOTHING, type Query, sql, SKIPPING_LOCKED, when } from '../database/sql.ts'
import { all, one, execute, exists, type Steps, type Tx } from '../database/steps.ts'
import { claimFirsts, enterEach, firstsOf, MOST_IN_ONE_COMMIT } from '../work/claims.ts'
import {
  begin,
  enterLane,
  type First,
  firstToBegin,
  type Claim,
  type Claimed,
  type Fence,
  type Begun,
} from '../work/lanes.ts'
import { AT_ONCE } from '../work/item-rules.ts'
import type { Row } from './rows.ts'
import { noteProbe } from './throttles.ts'
import { sends, throttles, type Via } from '../database/outbox-tables.ts'
import { isOptedOut } from './opt-outs.ts'

/** Claims sends. Their attempts have not begun yet. */
export function* claimSends(tx: Tx, claim: Claim): Steps<Claimed<DueSend>> {
  const { now, serviceNow = now } = claim
  return yield* claimFirsts<FirstSend, DueSend>(tx, 'sends', claim, {
    enter: () => enterScheduled(tx, serviceNow),
    firsts: (waiting) => mayGoOut(claim, waiting),
    *begin(first, process) {
      if (first.isProbe) yield* noteProbe(first.number, now)
      return yield* takeSend(tx, first, process)
    },
    *otherTime() {
      const pause = yield* one<{ at: number | null }>(sql`
        SELECT min(closed_until) AS at FROM ${throttles} t WHERE closed_until > ${now}
          AND EXISTS (SELECT 1 FROM ${sends} WHERE place = 0 AND number = t.number)`)
      return pause?.at
    },
  })
}

interface FirstSend extends First {
  readonly isProbe?: boolean
}

function* takeSend(tx: Tx, first: First, process: number): Steps<Begun<DueSend>> {
  const found = yield* one<{ attempts: number; followed: number }>(sql`
    SELECT attempts, followed FROM ${sends} WHERE seq = ${first.id}`)
  const id = found?.attempts === 0 && found.followed === 1 ? yield* firstToBegin('sends', first) : first.id
  const row = (yield* one<Row>(sql`SELECT * FROM ${sends} WHERE seq = ${id}`)) as Row
  return yield* takeRow(row, yield* conditionsOf(tx, row), process)
}

export function* takeRow(found: Row, conditions: SendConditions, process: number): Steps<Begun<DueSend>> {
  const row = addressed(found, conditions)
  if (row.body !== found.body || row.fallback_body !== found.fallback_body)
    yield* execute(
      sql`UPDATE ${sends} SET body = ${row.body}, fallback_body = ${row.fallback_body} WHERE seq = ${row.seq}`,
    )
  const { fence, isFollowed } = yield* begin('sends', { ...row, id: row.seq }, process, row.id)
  return { fence, isFollowed, work: dueSend(row, conditions) }
}

/** Moves sends that are due into their lanes. Returns false if more are due. */
function* enterScheduled(tx: Tx, serviceNow: number): Steps<boolean> {
  const isDue = sql`state = 'scheduled' AND due_at <= ${serviceNow}`
  if (!(yield* exists(sql`SELECT 1 FROM ${sends} WHERE ${isDue} LIMIT 1`))) return true
  tx.alone()
  const due = yield* all<{ id: string; lane: string }>(sql`
    SELECT id, lane FROM ${sends} WHERE ${isDue}
    ORDER BY due_at, seq LIMIT ${MOST_IN_ONE_COMMIT} ${SKIPPING_LOCKED}`)
  return yield* enterEach(tx, due, function* ({ id, lane }) {
    // A scheduled send joins the end of its lane when it is due. Sends that wait there keep their places.
    const send = yield* one<{ seq: number }>(sql`
      UPDATE ${sends} SET state = 'ready', seq = ${NEXT_SEND} WHERE id = ${id} RETURNING seq`)
    if (send) yield* enterLane('sends', send.seq, lane, AT_ONCE)
  })
}

/**
 * Finds sends that may go out. After its pause a closed throttle lets out one probe, preferably a send whose outcome is
 * unknown already.
 */
function* mayGoOut(claim: Claim, waiting: readonly string[]): Steps<readonly FirstSend[]> {
  const closed = yield* all<{ number: string; closed_until: number }>(sql`
    SELECT number, closed_until FROM ${throttles} WHERE closed_until > ${NOT_CLOSED} ORDER BY number`)
  const full = new Set(claim.shared && numbersWithShare(claim.shared))
  const probes: FirstSend[] = []
  for (const { number, closed_until: until } of closed) {
    if (until > claim.now || full.has(number) || probes.length >= claim.limit) continue
    const probe = yield* one<First>(sql`
      SELECT seq AS id, lane, number FROM ${sends} WHERE place = 0 AND number = ${number}
        AND (next_at <= ${claim.now} OR state = 'attempting')
      ORDER BY CASE state WHEN 'attempting' THEN 0 ELSE 1 END, next_at, seq LIMIT 1`)
    if (probe) probes.push({ ...probe, isProbe: true })
  }
  const open = waiting.filter((number) => closed.every((throttle) => throttle.number !== number))
  const limit = claim.limit - probes.length
  const others = yield* firstsOf('sends', open, { ...claim, limit }, { columns: sql`state`, condition: sql`true` })
  return [...probes, ...others]
}

/**
 * Stores that an attempt begins. Returns false if the fence no longer holds, or if the row has other bytes now.
 * `attempting_since` is the beginning of the first attempt whose outcome is unknown. For marketing, checks again whether
 * the customer has opted out since the claim, unless the message may have arrived already.
 */
export function* beginSend(
  { owner, run }: Fence,
  send: string,
  via: Via,
  now: number,
  bytes?: string,
): Steps<boolean | 'opted_out'> {
  const mine = sql`id = ${send} AND owner = ${owner} AND run = ${run} AND place = 1`
  const attempt = (which: Query) =>
    execute(sql`
      UPDATE ${sends} SET state = 'attempting', via = ${via}, attempts = attempts + 1,
        attempting_since = CASE WHEN state = 'attempting' THEN coalesce(attempting_since, ${now}) ELSE ${now} END,
        first_attempt_at = coalesce(first_attempt_at, ${now})
      WHERE ${mine} ${which} ${when(bytes !== undefined, () => sql`AND ${bytes} IN (body, fallback_body)`)}`)
  if ((yield* attempt(sql`AND (marketing = 0 OR state = 'attempting')`)) > 0) return true
  const unsure = yield* one<Row>(sql`SELECT * FROM ${sends} WHERE ${mine} AND marketing > 0`)
  if (!unsure) return false
  if (yield* isOptedOut(unsure, unsure.marketing > 1)) return 'opted_out'
  return (yield* attempt(NOTHING)) > 0
}
