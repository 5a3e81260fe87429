import { hashesOf } from '../../../store/outbox/opt-outs.ts'
import { OPEN_SENDS, type Row } from '../../../store/outbox/rows.ts'
import { cancelAll } from '../../../store/outbox/settle.ts'
import { RESTORED } from '../../../store/outbox/send-rules.ts'
import { inTexts, joined, sql, textValue, when } from '../../../store/database/sql.ts'
import { insert } from '../../../store/database/statements.ts'
import { blank } from '../../../store/database/table.ts'
import { all, execute, nextOfPage, one, type Steps, type Tx } from '../../../store/database/steps.ts'
import { processes } from '../../../store/database/inbox-tables.ts'
import { sends } from '../../../store/database/outbox-tables.ts'
import {
  announcement,
  announcementsWhere,
  endIfDone,
  NEEDS_PERSON,
  type Announced,
  type AnnouncementRow,
  type AnnouncementState,
  type NewAnnouncement,
} from './announcement-rows.ts'
import { announcements, recipients } from './announcement-tables.ts'
import { NOT_RUNNING, slotOfRecipient } from './slots.ts'

const NOTHING_YET = {
  outcomes: 0,
  accepted_at: 0,
  probe: 0,
  total: 0,
  sent: 0,
  refused: 0,
  invalid: 0,
  opted_out: 0,
  silent: 0,
  unknown: 0,
} as const

export function* openAnnouncement(asked: NewAnnouncement) {
  const { number, name, content, outsideWindow, hours, perHour, dueAt, createdAt } = asked
  const byName = sql`number = ${number} AND name = ${name}`
  const [known] = yield* announcementsWhere(byName)
  if (known)
    return { announcement: known, diverged: known.content !== content || known.outsideWindow !== outsideWindow }
  yield* execute(
    insert(announcements, {
      ...blank(announcements),
      ...NOTHING_YET,
      number,
      name,
      state: 'storing',
      content,
      outside_window: outsideWindow,
      hours: hours && JSON.stringify(hours),
      per_hour: perHour,
      next_at: dueAt,
      created_at: createdAt,
    }),
  )
  const [made] = yield* announcementsWhere(byName)
  return { announcement: made as AnnouncementRow, diverged: false }
}

/** Stores the list of time zones, to which the rows of recipients refer by index. */
export function* keepZones(id: number, zones: readonly string[]): Steps<void> {
  const row = yield* announcement(id)
  if (!row?.hours) return
  yield* execute(sql`
    UPDATE ${announcements} SET hours = ${JSON.stringify({ ...row.hours, zones })} WHERE id = ${id}`)
}

export interface NewRecipient {
  readonly customer: string
  /** The app's spelling of the number, if it differs from the digits. */
  readonly given?: string | undefined
  /** All spellings of the number. */
  readonly forms?: readonly string[]
  /** The columns of the recipient's row, as JSON. */
  readonly vars?: string | undefined
  readonly zone?: number
  /** The reason for which nothing can be sent to this row. */
  readonly invalid?: string
}

export interface AddedRecipients {
  readonly state: AnnouncementState
  readonly added: number
}

/** Adds recipients who have no row yet. Returns undefined if the announcement does not exist. */
export function* addRecipients(
  id: number,
  given: readonly NewRecipient[],
  now: number,
): Steps<AddedRecipients | undefined> {
  const had = yield* forgottenAmong(id, given)
  const fresh = given.filter(({ customer }) => !had.has(customer))
  const invalid = yield* insertRecipients(
    id,
    fresh.filter((row) => row.invalid !== undefined),
    now,
  )
  const waiting = yield* insertRecipients(
    id,
    fresh.filter((row) => row.invalid === undefined),
    undefined,
  )
  if (waiting > 0)
    yield* execute(
      sql`UPDATE ${announcements} SET state = 'running', ended_at = NULL WHERE id = ${id} AND state = 'done'`,
    )
  const row = yield* one<{ state: AnnouncementState }>(sql`
    UPDATE ${announcements} SET total = total + ${waiting + invalid}, invalid = invalid + ${invalid} WHERE id = ${id}
    RETURNING state`)
  return row && { state: row.state, added: waiting }
}

function* insertRecipients(id: number, rows: readonly NewRecipient[], at: number | undefined): Steps<number> {
  if (rows.length === 0) return 0
  const cells = rows.map(
    ({ customer, given, vars, zone = 0, invalid }) =>
      sql`(${id}, ${customer}, ${invalid === undefined ? 'waiting' : 'invalid'}, ${at}, ${invalid}, ${given}, ${vars}, ${zone}, 0)`,
  )
  return yield* execute(sql`
    INSERT INTO ${recipients} (announcement, customer, state, at, reason, given, vars, zone, resends)
    VALUES ${joined(cells, ', ')} ON CONFLICT DO NOTHING`)
}

/** Finds recipients who were forgotten, by the hash that replaces them in the list. They may have got the message. */
function* forgottenAmong(id: number, given: readonly NewRecipient[]): Steps<ReadonlySet<string>> {
  const hashes = yield* hashesOf(given)
  if (hashes.size === 0) return new Set()
  const found = yield* all<{ customer: string }>(sql`
    SELECT customer FROM ${recipients} WHERE announcement = ${id} AND customer ${inTexts(hashes.keys())}`)
  return new Set(found.map(({ customer }) => hashes.get(customer) as string))
}

/** Starts an announcement that is `storing`, or resumes one that an error paused. `hold`: pauses a `storing` one. */
export function* startAnnouncement(tx: Tx, id: number, now: number, { hold = false } = {}): Steps<AnnouncementState> {
  const before = yield* announcement(id)
  const mayStart =
    before?.state === 'storing' ||
    (before?.state === 'paused' && before.reason !== undefined && before.reason !== RESTORED.reason)
  if (before && hold && before.state === 'storing')
    yield* execute(sql`UPDATE ${announcements} SET state = 'paused' WHERE id = ${id}`)
  else if (before && mayStart) yield* resume(before)
  const state = yield* endIfDone(id, now)
  tx.wake('features')
  return state ?? 'done'
}

/** Resumes an announcement. After an error it tries one recipient first: at each resume the next one of the list. */
function* resume({ id, reason }: AnnouncementRow): Steps<void> {
  const probe = reason === undefined || reason === RESTORED.reason ? 0 : 1
  yield* execute(sql`
    UPDATE ${announcements} SET state = 'running', reason = NULL, since = NULL, blamed = NULL, owner = NULL, probe = ${probe}
    WHERE id = ${id}`)
}

const FROM: Readonly<Record<'running' | 'paused' | 'cancelled', readonly AnnouncementState[]>> = {
  running: ['paused'],
  paused: ['storing', 'running'],
  cancelled: ['storing', 'running', 'paused'],
}

/** Pauses, resumes or cancels an announcement. Returns false if its state does not allow the change. */
export function* changeAnnouncement(
  tx: Tx,
  id: number,
  to: keyof typeof FROM,
  { now }: { now: number },
): Steps<boolean> {
  const found = yield* announcement(id)
  if (!found || !FROM[to].includes(found.state)) return false
  if (to === 'running') {
    yield* resume(found)
    yield* endIfDone(id, now)
  } else {
    yield* execute(sql`
      UPDATE ${announcements} SET state = ${to}, reason = NULL, since = NULL, blamed = NULL,
        ended_at = ${to === 'cancelled' ? now : undefined} WHERE id = ${id}`)
    yield* cancelAnnounced(tx, found, { now, forGood: to === 'cancelled' })
  }
  tx.wake('features')
  return true
}

export function* listAnnouncements(o: {
  readonly limit: number
  readonly after?: number | undefined
  readonly number?: string | undefined
}) {
  const announcements: readonly AnnouncementRow[] = yield* announcementsWhere(sql`
    true ${when(o.after !== undefined, () => sql`AND id < ${o.after}`)}
      ${when(o.number !== undefined, () => sql`AND number = ${o.number}`)} ORDER BY id DESC LIMIT ${o.limit}`)
  return { announcements, next: nextOfPage(announcements, o.limit)?.id }
}

/** Lists announcements that an error or a restore paused, the newest first. */
export function* pausedByError(limit: number): Steps<readonly AnnouncementRow[]> {
  return yield* announcementsWhere(sql`${NEEDS_PERSON} ORDER BY id DESC LIMIT ${limit}`)
}

/** Counts announcements by state. `needs_person`: paused by an error or a restore. */
export function* countAnnouncements() {
  const states = ['running', 'paused', 'needs_person', 'done', 'cancelled'] as const
  const counted = yield* all<{ state: (typeof states)[number]; n: number }>(sql`
    SELECT state, count(*) AS n FROM (
      SELECT CASE WHEN ${NEEDS_PERSON} THEN 'needs_person' WHEN state = 'storing' THEN 'running' ELSE state END AS state
      FROM ${announcements}) AS shown GROUP BY state`)
  const found = new Map(counted.map(({ state, n }) => [state, n]))
  return Object.fromEntries(states.map((state) => [state, found.get(state) ?? 0])) as Record<
    (typeof states)[number],
    number
  >
}

/** Pauses an announcement because of an error. Doubtful recipients wait again. */
export function* pauseByError(
  tx: Tx,
  found: Announced,
  { now, reason, blamed }: { readonly now: number; readonly reason: string; readonly blamed: string | undefined },
): Steps<void> {
  const { id, acceptedAt } = found
  const again = yield* execute(sql`
    UPDATE ${recipients} SET state = 'waiting', nth = NULL, at = NULL, code = NULL, reason = NULL, send = NULL
    WHERE announcement = ${id} AND state = 'refused' AND nth > ${acceptedAt}`)
  yield* execute(sql`
    UPDATE ${announcements} SET state = 'paused', reason = ${reason}, since = ${now}, blamed = ${blamed}, probe = 0,
      refused = refused - ${again} WHERE id = ${id}`)
  yield* cancelAnnounced(tx, found, { now, forGood: false })
  tx.wake('features')
}

/** Releases the announcements of a process that stops, so that another one need not wait until the lease ends. */
export function* releaseAnnouncements(tx: Tx, processName: string): Steps<void> {
  const released = yield* execute(sql`
    UPDATE ${announcements} SET owner = NULL
    WHERE state = 'running' AND owner IN (SELECT id FROM ${processes} WHERE name = ${processName})`)
  if (released > 0) tx.wake('features')
}

/**
 * Cancels the waiting sends of an announcement. Unless `forGood` is true, sends that are held since a restore stay:
 * they may have gone out, and only a person releases them.
 */
function* cancelAnnounced(
  tx: Tx,
  { number, name }: { readonly number: string; readonly name: string },
  { now, forGood }: { readonly now: number; readonly forGood: boolean },
): Steps<void> {
  const rows = yield* all<Row>(sql`
    SELECT * FROM ${sends} WHERE seq IN ${OPEN_SENDS} AND number = ${number}
      AND (slot = ${textValue(slotOfRecipient(name, ''))} || customer OR slot = ${textValue(slotOfRecipient(name, ''))} || customer || ' 1') AND state IN ('ready', 'held')
      ${when(!forGood, () => sql`AND held_from IS NULL`)}`)
  yield* cancelAll(tx, rows, now, NOT_RUNNING)
}
