import type { Hours } from '../../../bot/hours.ts'
import { RESTORED } from '../../../store/outbox/send-rules.ts'
import { type Query, sql } from '../../../store/database/sql.ts'
import { all, allAs, execute, exists, one, type Steps } from '../../../store/database/steps.ts'
import { processes } from '../../../store/database/inbox-tables.ts'
import { announcements, recipients } from './announcement-tables.ts'

/** An announcement is one content for many recipients, each of whom has a row and gets at most one message. */

export type RecipientEnd = 'sent' | 'refused' | 'opted_out' | 'silent' | 'unknown'

export interface NewAnnouncement {
  readonly number: string
  /** The app's own key. A number has one announcement of this name. */
  readonly name: string
  /** The content as JSON; undefined if a function of the app makes it for each customer. */
  readonly content: string | undefined
  readonly outsideWindow: string | undefined
  readonly hours: SendingHours | undefined
  readonly perHour: number
  readonly dueAt: number
  readonly createdAt: number
}

/** Hours in which messages may go out. `zones`: the time zones of recipients, to which their rows refer by index. */
export interface SendingHours extends Hours {
  readonly zones: readonly string[]
}

/** The state of an announcement. `storing`: its recipients are being stored. */
export type AnnouncementState = 'storing' | 'running' | 'paused' | 'cancelled' | 'done'

export interface AnnouncementRow extends Omit<NewAnnouncement, 'dueAt'> {
  readonly id: number
  readonly state: AnnouncementState
  /** Why the announcement is paused; undefined if a person paused it. */
  readonly reason: string | undefined
  /** Wall time at which an error paused it. */
  readonly since: number | undefined
  /** The first recipient whom the error concerns. */
  readonly blamed: string | undefined
  /** Service time of the next claim. */
  readonly nextAt: number
  readonly total: number
  readonly sent: number
  /** Recipients who were refused. Until the service accepts a later message, they also count as `doubtful`. */
  readonly refused: number
  readonly doubtful: number
  readonly invalid: number
  readonly optedOut: number
  readonly silent: number
  readonly unknown: number
  readonly endedAt: number | undefined
}

export interface Announced extends AnnouncementRow {
  readonly owner: number | undefined
  readonly pacedTo: number | undefined
  readonly outcomes: number
  readonly acceptedAt: number
  readonly probe: number
  readonly probed: string | undefined
}

const COLUMNS = sql`
  id, number, name, state, reason, since, blamed, content, outside_window AS "outsideWindow", hours, per_hour AS "perHour",
  next_at AS "nextAt", paced_to AS "pacedTo", owner, outcomes, accepted_at AS "acceptedAt", probe, probed, total, sent,
  refused, invalid, opted_out AS "optedOut", silent, unknown, created_at AS "createdAt",
  ended_at AS "endedAt",
  CASE WHEN refused > 0 AND state IN ('running', 'paused') THEN (
    SELECT count(*) FROM ${recipients} r WHERE r.announcement = a.id AND r.state = 'refused' AND r.nth > a.accepted_at)
  ELSE 0 END AS doubtful`

type Stored = Omit<Announced, 'hours'> & { readonly hours: string | undefined }

export function* announcementsWhere(rest: Query): Steps<readonly Announced[]> {
  const rows = yield* allAs<Stored>(sql`SELECT ${COLUMNS} FROM ${announcements} a WHERE ${rest}`)
  return rows.map((row) => ({
    ...row,
    hours: row.hours === undefined ? undefined : (JSON.parse(row.hours) as SendingHours),
  }))
}

export function* announcement(id: number): Steps<Announced | undefined> {
  return (yield* announcementsWhere(sql`id = ${id}`))[0]
}

const ENDED = sql`sent + refused + invalid + opted_out + silent + unknown`

/** Ends the announcement if every recipient has an outcome. Doubtful recipients then count as failed. */
export function* endIfDone(id: number, now: number): Steps<AnnouncementState | undefined> {
  yield* execute(sql`
    UPDATE ${announcements} SET state = 'done', ended_at = ${now}, owner = NULL, reason = NULL, since = NULL, blamed = NULL,
      probe = 0
    WHERE id = ${id} AND state IN ('running', 'paused') AND total = ${ENDED}
      AND (reason IS NULL OR reason <> ${RESTORED.reason})`)
  return (yield* one<{ state: AnnouncementState }>(sql`SELECT state FROM ${announcements} WHERE id = ${id}`))?.state
}

export const NEEDS_PERSON = sql`state = 'paused' AND reason IS NOT NULL`

/**
 * Pauses all announcements of a restored database. The backup does not tell which messages were sent after it was made,
 * so waiting recipients become `unknown`. Only a person resumes the announcements.
 */
export function* pauseRestored(): Steps<void> {
  const open = sql`SELECT id FROM ${announcements} WHERE state IN ('storing', 'running', 'paused')`
  for (const { id } of yield* all<{ id: number }>(open)) {
    const unsure = yield* execute(sql`
      UPDATE ${recipients} SET state = 'unknown', code = ${RESTORED.code} WHERE announcement = ${id} AND state = 'waiting'`)
    yield* execute(sql`
      UPDATE ${announcements} SET state = 'paused', reason = ${RESTORED.reason}, owner = NULL, unknown = unknown + ${unsure}
      WHERE id = ${id}`)
  }
}

export const NEXT_ANNOUNCEMENT = sql`
  SELECT min(next_at) FROM ${announcements} a WHERE state = 'running' AND (content IS NOT NULL
    OR EXISTS (SELECT 1 FROM ${processes} WHERE id = a.owner AND dead = 0 AND until > 0))`

/** True while the announcement runs and this customer waits for its message. */
export function isAwaiting(announcement: number, customer: string): Steps<boolean> {
  return exists(sql`
    SELECT 1 FROM ${announcements} a JOIN ${recipients} r ON r.announcement = a.id AND r.customer = ${customer} AND r.state = 'waiting'
    WHERE a.id = ${announcement} AND a.state = 'running'`)
}
