import { isOptedOut } from './opt-outs.ts'
import { all, allAs, exists, nextOfPage, one, oneAs, execute, sql, type Steps, type Tx, when } from './steps.ts'
import type {
  AnnouncementRow,
  AnnouncementState,
  CustomerOfNumber,
  EndedRecipient,
  NewAnnouncement,
  RecipientClaim,
  RecipientEnd,
} from './types/types.ts'
import { cancelAnnounced } from './outbox/settle.ts'
import { firstPace, pacedClaim } from './rules/pace.ts'
import { RESTORED } from './rules/sends.ts'
import { earliest } from './work/lanes.ts'
import { livingProcess } from './work/processes.ts'

/**
 * An announcement has an owner, the process that works on it while it has its lease, so two do not double the pace. The
 * next one begins with the first recipient without an end; keys of sends keep anybody from a second message.
 */

const COLUMNS = sql`
  id, number, name, state, reason, content, outside_window AS "outsideWindow", per_hour AS "perHour", next_at AS "nextAt",
  total, sent, failed, opted_out AS "optedOut", taken_over AS "takenOver", created_at AS "createdAt", ended_at AS "endedAt"`

export function* openAnnouncement(asked: NewAnnouncement) {
  const { number, name, content, outsideWindow, perHour, dueAt, createdAt } = asked
  const known = yield* oneAs<AnnouncementRow>(sql`
    SELECT ${COLUMNS} FROM announcements WHERE number = ${number} AND name = ${name}`)
  if (known)
    return { announcement: known, diverged: known.content !== content || known.outsideWindow !== outsideWindow }
  const made = yield* oneAs<AnnouncementRow>(sql`
    INSERT INTO announcements (number, name, state, content, outside_window, per_hour, next_at, total, sent, failed,
      opted_out, taken_over, created_at)
    VALUES (${number}, ${name}, 'storing', ${content}, ${outsideWindow}, ${perHour}, ${dueAt}, 0, 0, 0, 0, 0, ${createdAt})
    RETURNING ${COLUMNS}`)
  return { announcement: made as AnnouncementRow, diverged: false }
}

/** Undefined if it is gone. */
export function* addRecipients(
  id: number,
  customers: readonly string[],
  state: 'waiting' | 'failed' = 'waiting',
): Steps<AnnouncementState | undefined> {
  const added = yield* execute(sql`
    INSERT INTO recipients (announcement, customer, state)
    SELECT number(${id}), value, text(${state}) FROM list(${JSON.stringify(customers)}) AS given WHERE true
    ON CONFLICT DO NOTHING`)
  const failed = state === 'failed' ? added : 0
  if (added > failed)
    yield* execute(sql`UPDATE announcements SET state = 'running', ended_at = NULL WHERE id = ${id} AND state = 'done'`)
  const row = yield* one<{ state: AnnouncementState }>(sql`
    UPDATE announcements SET total = total + ${added}, failed = failed + ${failed} WHERE id = ${id} RETURNING state`)
  return row?.state
}

export function* startAnnouncement(tx: Tx, id: number, now: number): Steps<void> {
  yield* execute(sql`
    UPDATE announcements SET state = 'running', reason = NULL
    WHERE id = ${id} AND (state IN ('storing', 'running') OR (state = 'paused' AND reason <> ${RESTORED.reason}))`)
  yield* endIfDone(id, now)
  tx.wake('announcements')
}

const FROM: Readonly<Record<'running' | 'paused' | 'cancelled', readonly AnnouncementState[]>> = {
  running: ['paused'],
  paused: ['storing', 'running'],
  cancelled: ['storing', 'running', 'paused'],
}

/** False if its state does not allow it. */
export function* changeAnnouncement(
  tx: Tx,
  id: number,
  to: keyof typeof FROM,
  { now, reason }: { readonly now: number; readonly reason?: string },
): Steps<boolean> {
  const changed = yield* oneAs<AnnouncementRow>(sql`
    UPDATE announcements SET state = ${to}, reason = ${reason},
      ended_at = ${to === 'cancelled' ? now : undefined}, owner = CASE WHEN ${to} = 'running' THEN NULL ELSE owner END
    WHERE id = ${id} AND state IN list(${JSON.stringify(FROM[to])}) RETURNING ${COLUMNS}`)
  if (!changed) return false
  if (to === 'running') yield* endIfDone(id, now)
  else yield* cancelAnnounced(tx, changed, { now, forGood: to === 'cancelled' })
  tx.wake('announcements')
  return true
}

export function* announcement(id: number): Steps<AnnouncementRow | undefined> {
  return yield* oneAs<AnnouncementRow>(sql`SELECT ${COLUMNS} FROM announcements WHERE id = ${id}`)
}

export function* listAnnouncements(o: { readonly limit: number; readonly after?: number | undefined }) {
  const announcements = yield* allAs<AnnouncementRow>(sql`
    SELECT ${COLUMNS} FROM announcements WHERE true ${when(o.after !== undefined, () => sql`AND id < ${o.after}`)}
    ORDER BY id DESC LIMIT ${o.limit}`)
  return { announcements, next: nextOfPage(announcements, o.limit)?.id }
}

// ── the work ────────────────────────────────────────────────────────────────────────────────────────

interface Running extends AnnouncementRow {
  readonly owner: number | undefined
  readonly pacedTo: number | undefined
}

const LOOK_AGAIN_MS = 3_000

/** Customers who opted out get their end here. `over`: worked on, and not this process's any more. `nextAt`: service time. */
export function* claimRecipients(tx: Tx, claim: RecipientClaim) {
  const process = tx.situation.newerSchema === undefined ? yield* livingProcess(tx, claim) : undefined
  const worked = new Map(claim.worked.map((one) => [one.id, one]))
  if (process === undefined) {
    const isDead = tx.situation.newerSchema === undefined
    return { portions: [], over: [...worked.keys()], nextAt: undefined, dead: isDead }
  }
  const running = yield* allAs<Running>(sql`
    SELECT ${COLUMNS}, owner, paced_to AS "pacedTo" FROM announcements WHERE state = 'running' ORDER BY id`)
  const portions: { readonly announcement: AnnouncementRow; readonly customers: readonly string[] }[] = []
  const over = new Set(worked.keys())
  const times: number[] = []
  for (const row of running) {
    if (row.content === undefined && !claim.functions.includes(row.id)) continue
    if (row.owner !== undefined && row.owner !== process && (yield* hasLease(row.owner, claim.now))) {
      times.push(claim.serviceNow + LOOK_AGAIN_MS)
      continue
    }
    over.delete(row.id)
    const work = worked.get(row.id) ?? { after: '', room: claim.room }
    const first = firstPace(row, claim.serviceNow)
    // It had no room before, and has some now.
    const isBehindPace = row.owner === process && work.room > 0 && (row.pacedTo ?? Infinity) <= claim.serviceNow
    if (first > claim.serviceNow && !isBehindPace) times.push(first)
    else {
      const { customers, nextAt } = yield* claimOf(tx, row, work, process, claim)
      portions.push({ announcement: row, customers })
      times.push(nextAt)
    }
  }
  return { portions, over: [...over], nextAt: earliest(...times), dead: false }
}

function* claimOf(
  tx: Tx,
  row: Running,
  { after, room }: { readonly after: string; readonly room: number },
  process: number,
  { serviceNow, now, anyNumber }: RecipientClaim,
): Steps<{ readonly customers: readonly string[]; readonly nextAt: number }> {
  const { id, number } = row
  const { most, moved } = pacedClaim(row, serviceNow, room)
  const customers: string[] = []
  const ended: EndedRecipient[] = []
  for (let last = after; customers.length < most; ) {
    const some = yield* all<{ customer: string }>(sql`
      SELECT customer FROM recipients WHERE announcement = ${id} AND state = 'waiting' AND customer > ${last}
      ORDER BY customer LIMIT ${most - customers.length}`)
    for (const { customer } of some)
      if (yield* isOptedOut({ number, customer }, anyNumber)) ended.push({ customer, end: 'opted_out' })
      else customers.push(customer)
    const [end] = some.slice(-1)
    if (!end || tx.isLong()) break
    last = end.customer
  }
  const { pacedTo, nextAt } = moved(customers.length)
  yield* execute(sql`
    UPDATE announcements SET owner = ${process}, paced_to = ${pacedTo}, next_at = ${nextAt} WHERE id = ${id}`)
  if (ended.length > 0) yield* endRecipients(id, ended, now)
  return { customers, nextAt }
}

function hasLease(process: number, now: number): Steps<boolean> {
  return exists(sql`SELECT 1 FROM processes WHERE id = ${process} AND dead = 0 AND until > ${now}`)
}

const COUNTED = ['sent', 'failed', 'opted_out', 'taken_over'] as const satisfies readonly RecipientEnd[]

export function* endRecipients(
  id: number,
  ended: readonly EndedRecipient[],
  now: number,
): Steps<AnnouncementState | undefined> {
  const counts = { sent: 0, failed: 0, opted_out: 0, taken_over: 0 }
  for (const end of COUNTED) {
    const customers = ended.filter((each) => each.end === end).map(({ customer }) => customer)
    if (customers.length > 0)
      counts[end] = yield* execute(sql`
        UPDATE recipients SET state = ${end} WHERE announcement = ${id} AND customer IN list(${JSON.stringify(customers)})
          AND state = 'waiting'`)
  }
  yield* execute(sql`
    UPDATE announcements SET sent = sent + ${counts.sent}, failed = failed + ${counts.failed},
      opted_out = opted_out + ${counts.opted_out}, taken_over = taken_over + ${counts.taken_over} WHERE id = ${id}`)
  return yield* endIfDone(id, now)
}

function* endIfDone(id: number, now: number): Steps<AnnouncementState | undefined> {
  yield* execute(sql`
    UPDATE announcements SET state = 'done', ended_at = ${now}, owner = NULL
    WHERE id = ${id} AND state IN ('running', 'paused') AND total = sent + failed + opted_out + taken_over`)
  return (yield* one<{ state: AnnouncementState }>(sql`SELECT state FROM announcements WHERE id = ${id}`))?.state
}

/** At an orderly stop: another process continues at once, and waits for no lease. */
export function* releaseAnnouncements(tx: Tx, processName: string): Steps<void> {
  const released = yield* execute(sql`
    UPDATE announcements SET owner = NULL
    WHERE state = 'running' AND owner IN (SELECT id FROM processes WHERE name = ${processName})`)
  if (released > 0) tx.wake('announcements')
}

/** A restored database does not know whom its announcements have reached since: only a person resumes them. */
export function* pauseRestored(): Steps<void> {
  yield* execute(sql`
    UPDATE announcements SET state = 'paused', reason = ${RESTORED.reason}, owner = NULL
    WHERE state IN ('storing', 'running', 'paused')`)
}

export const NEXT_ANNOUNCEMENT = sql`
  SELECT min(next_at) FROM announcements a WHERE state = 'running' AND (content IS NOT NULL
    OR EXISTS (SELECT 1 FROM processes WHERE id = a.owner AND dead = 0 AND until > 0))`

// ── removal ─────────────────────────────────────────────────────────────────────────────────────────

export function* forgetRecipient({ number, customer }: CustomerOfNumber, now: number): Steps<void> {
  const rows = yield* all<{ id: number }>(sql`SELECT id FROM announcements WHERE number = ${number}`)
  for (const { id } of rows) {
    const who = sql`announcement = ${id} AND customer = ${customer}`
    const waiting = yield* execute(sql`DELETE FROM recipients WHERE ${who} AND state = 'waiting'`)
    if (waiting === 0) yield* execute(sql`DELETE FROM recipients WHERE ${who}`)
    else {
      yield* execute(sql`UPDATE announcements SET total = total - 1 WHERE id = ${id}`)
      yield* endIfDone(id, now)
    }
  }
}

export function* pruneAnnouncements(before: number, limit: number): Steps<boolean> {
  const old = yield* one<{ id: number }>(
    sql`SELECT id FROM announcements WHERE ended_at < ${before} ORDER BY id LIMIT 1`,
  )
  if (!old) return false
  const removed = yield* execute(sql`
    DELETE FROM recipients WHERE announcement = ${old.id} AND customer IN (
      SELECT customer FROM recipients WHERE announcement = ${old.id} ORDER BY customer LIMIT ${limit})`)
  if (removed < limit) yield* execute(sql`DELETE FROM announcements WHERE id = ${old.id}`)
  return true
}
