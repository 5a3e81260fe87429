import {
  type Announced,
  type AnnouncementState,
  announcementsWhere,
  endIfDone,
  type RecipientEnd,
} from './announcement-rows.ts'
import { pauseByError } from './announcements.ts'
import { isOptedOut } from '../../../store/outbox/opt-outs.ts'
import { isOpen, nextOpening } from '../../../bot/hours.ts'
import { firstPace, pacedClaim } from './pace.ts'
import { sql } from '../../../store/database/sql.ts'
import { allAs, execute, exists, one, type Steps, type Tx } from '../../../store/database/steps.ts'
import { earliest } from '../../../store/work/item-rules.ts'
import { type Lease, livingProcess } from '../../../store/work/lanes.ts'
import { announcements, recipients } from './announcement-tables.ts'
import { sends } from '../../../store/database/outbox-tables.ts'
import { processes } from '../../../store/database/inbox-tables.ts'

/**
 * Each announcement has an owner: the process that works on it and has a lease. So two processes never send it at twice
 * the pace. If the owner dies, another process continues with the first recipient who has no outcome. A recipient never
 * gets a second message, because the key of the send is the same.
 */

export interface RecipientClaim extends Lease {
  readonly serviceNow: number
  /** The most recipients to claim from an announcement that this process does not work on yet. */
  readonly room: number
  /** Announcements that this process works on. `after`: the recipient after whom the next claim begins. */
  readonly worked: readonly { readonly id: number; readonly after: RecipientPlace | undefined; readonly room: number }[]
  /** Announcements whose content this process can make, because their function is registered here. */
  readonly functions: readonly number[]
  /** True if an opt-out on another number of the bot counts too. */
  readonly anyNumber: boolean
}

/** The place of a recipient. Recipients are claimed zone by zone, in the order of their digits. */
export interface RecipientPlace {
  readonly zone: number
  readonly customer: string
}

export interface ClaimedRecipient extends RecipientPlace {
  readonly given: string | undefined
  readonly vars: string | undefined
  readonly resends: number
}

export interface Portion {
  readonly announcement: Announced
  readonly recipients: readonly ClaimedRecipient[]
}

const LOOK_AGAIN_MS = 3_000

/**
 * Claims the next recipients of each announcement. Recipients who opted out become `opted_out`. `over`: announcements
 * that this process worked on and no longer owns. `nextAt`: service time of the next claim.
 */
export function* claimRecipients(tx: Tx, claim: RecipientClaim) {
  const process = tx.databaseState.newerSchema === undefined ? yield* livingProcess(tx, claim, tx.alone) : undefined
  const worked = new Map(claim.worked.map((one) => [one.id, one]))
  if (process === undefined) {
    const isDead = tx.databaseState.newerSchema === undefined
    return { portions: [] as Portion[], over: [...worked.keys()], nextAt: undefined, dead: isDead }
  }
  const portions: Portion[] = []
  const over = new Set(worked.keys())
  const times: number[] = []
  for (const row of yield* announcementsWhere(sql`state = 'running' ORDER BY id`)) {
    if (row.content === undefined && !claim.functions.includes(row.id)) continue
    const hasLease = sql`SELECT 1 FROM ${processes} WHERE id = ${row.owner} AND dead = 0 AND until > ${claim.now}`
    if (row.owner !== undefined && row.owner !== process && (yield* exists(hasLease))) {
      times.push(claim.serviceNow + LOOK_AGAIN_MS)
      continue
    }
    over.delete(row.id)
    const work = worked.get(row.id) ?? { after: undefined, room: claim.room }
    const first = firstPace(row, claim.serviceNow)
    // True if the last claim found no room, so that the pace was not used up, and messages have ended since.
    const isBehindPace = row.owner === process && work.room > 0 && (row.pacedTo ?? Infinity) <= claim.serviceNow
    if (first > claim.serviceNow && !isBehindPace) times.push(first)
    else {
      const { recipients, nextAt } = yield* claimOf(tx, row, work, process, claim)
      portions.push({ announcement: row, recipients })
      times.push(nextAt)
    }
  }
  return { portions, over: [...over], nextAt: earliest(...times), dead: false }
}

function* claimOf(
  tx: Tx,
  row: Announced,
  work: { readonly after: RecipientPlace | undefined; readonly room: number },
  process: number,
  { serviceNow, now, anyNumber, room }: RecipientClaim,
): Steps<{ readonly recipients: readonly ClaimedRecipient[]; readonly nextAt: number }> {
  const { id, number } = row
  tx.alone()
  const { most, moved } = pacedClaim(row, serviceNow, work.room)
  const probeIsUnderWay = row.probe === 2 && work.room < room
  const limit = row.probe === 0 ? most : probeIsUnderWay ? 0 : Math.min(most, 1)
  const recipients: ClaimedRecipient[] = []
  const optedOut: EndedRecipient[] = []
  let after = row.probe === 0 ? work.after : yield* behindProbe(row)
  const zones = openZones(row, serviceNow)
  while (recipients.length < limit && zones.length > 0) {
    const some = yield* waitingAfter(id, zones, after, limit - recipients.length)
    for (const one of some)
      if (yield* isOptedOut({ number, customer: one.customer }, anyNumber))
        optedOut.push({ customer: one.customer, end: 'opted_out' })
      else recipients.push(one)
    const last = some.at(-1)
    if (!last || tx.isLong()) break
    after = last
  }
  const { pacedTo, nextAt } = moved(recipients.length)
  const opening = zones.length > 0 ? nextAt : firstOpening(row, serviceNow)
  const [probed] = row.probe === 0 ? [] : recipients
  yield* execute(sql`
    UPDATE ${announcements} SET owner = ${process}, paced_to = ${pacedTo}, next_at = ${opening},
      probe = ${probed ? 2 : row.probe}, probed = ${probed?.customer ?? row.probed} WHERE id = ${id}`)
  if (optedOut.length > 0) yield* endRecipients(tx, id, optedOut, now)
  return { recipients, nextAt: opening }
}

function* waitingAfter(
  id: number,
  zones: readonly number[],
  after: RecipientPlace | undefined,
  limit: number,
): Steps<readonly ClaimedRecipient[]> {
  const found: ClaimedRecipient[] = []
  for (const zone of zones) {
    if (after && zone < after.zone) continue
    const from = after?.zone === zone ? after.customer : ''
    found.push(
      ...(yield* allAs<ClaimedRecipient>(sql`
        SELECT zone, customer, given, vars, resends FROM ${recipients}
        WHERE announcement = ${id} AND zone = ${zone} AND state = 'waiting' AND customer > ${from}
        ORDER BY customer LIMIT ${limit - found.length}`)),
    )
    if (found.length >= limit) break
  }
  return found
}

/** Returns the recipient behind whom the next one is tried alone after an error. Undefined: begin with the first. */
function* behindProbe({ id, probed }: Announced): Steps<RecipientPlace | undefined> {
  if (probed === undefined) return undefined
  const last = yield* one<{ zone: number }>(sql`
    SELECT zone FROM ${recipients} WHERE announcement = ${id} AND customer = ${probed}`)
  const place = { zone: last?.zone ?? 0, customer: probed }
  const isLast = !(yield* exists(sql`
    SELECT 1 FROM ${recipients} WHERE announcement = ${id} AND state = 'waiting'
      AND (zone > ${place.zone} OR (zone = ${place.zone} AND customer > ${place.customer})) LIMIT 1`))
  return isLast ? undefined : place
}

const ANY_TIME = [0]

function openZones({ hours }: Announced, serviceNow: number): readonly number[] {
  if (!hours) return ANY_TIME
  return hours.zones.flatMap((zone, index) => (isOpen(hours, zone, serviceNow) ? [index] : []))
}

function firstOpening({ hours }: Announced, serviceNow: number): number {
  if (!hours) return serviceNow
  return earliest(...hours.zones.map((zone) => nextOpening(hours, zone, serviceNow))) ?? serviceNow
}

// ── outcomes ────────────────────────────────────────────────────────────────────────────────────────

/**
 * The outcome of a recipient. `refused` is doubtful until a later recipient was accepted. `unknown`: it is unknown
 * whether the recipient has the message.
 */
export interface EndedRecipient {
  readonly customer: string
  readonly end: RecipientEnd
  readonly code?: string | undefined
  readonly reason?: string | undefined
  /** The id of the send. */
  readonly send?: string | undefined
}

/** After so many refusals in a row, or so many at the start, the error is taken to concern all recipients. */
const MOST_DOUBTFUL = 5
const MOST_DOUBTFUL_AT_START = 3

/**
 * Stores the outcomes of recipients. A refusal may concern one recipient or all: later outcomes decide which.
 * `changed`: the state of the announcement has changed.
 */
export function* endRecipients(
  tx: Tx,
  id: number,
  ended: readonly EndedRecipient[],
  now: number,
): Steps<{ readonly state: AnnouncementState; readonly changed: boolean; readonly reason?: string } | undefined> {
  const [row] = yield* announcementsWhere(sql`id = ${id}`)
  if (!row) return undefined
  const counts = { sent: 0, refused: 0, opted_out: 0, silent: 0, unknown: 0 }
  let { outcomes, acceptedAt } = row
  for (const { customer, end, code, reason, send } of ended) {
    // A recipient who is refused while the announcement is paused continues to wait.
    if (end === 'refused' && row.state !== 'running') continue
    const isAnswer = end === 'sent' || end === 'refused'
    const changed = yield* execute(sql`
      UPDATE ${recipients} SET state = ${end}, nth = ${isAnswer ? outcomes + 1 : undefined}, at = ${now}, code = ${code},
        reason = ${reason}, send = (SELECT seq FROM ${sends} WHERE id = ${send})
      WHERE announcement = ${id} AND customer = ${customer} AND state = 'waiting'`)
    if (changed === 0) continue
    counts[end]++
    if (isAnswer) outcomes++
    if (end === 'sent') acceptedAt = outcomes
  }
  const probe = row.probe === 2 ? (counts.sent > 0 ? 0 : 1) : row.probe
  yield* execute(sql`
    UPDATE ${announcements} SET sent = sent + ${counts.sent}, refused = refused + ${counts.refused},
      opted_out = opted_out + ${counts.opted_out}, silent = silent + ${counts.silent},
      unknown = unknown + ${counts.unknown}, outcomes = ${outcomes}, accepted_at = ${acceptedAt}, probe = ${probe}
    WHERE id = ${id}`)
  const [after] = yield* announcementsWhere(sql`id = ${id}`)
  if (!after) return undefined
  const concernsAll = after.state === 'running' && counts.refused > 0 && (yield* pauses(after, row.probe === 2))
  const first = concernsAll ? yield* firstDoubtful(after) : undefined
  if (first) {
    const reason = first.reason ?? first.code ?? 'refused'
    yield* pauseByError(tx, after, { now, reason, blamed: first.customer })
    return { state: 'paused', changed: true, reason }
  }
  const state = yield* endIfDone(id, now)
  return state && { state, changed: state !== row.state }
}

function* pauses(row: Announced, wasProbe: boolean): Steps<boolean> {
  if (row.doubtful === 0) return false
  const nobodyAccepted = row.acceptedAt === 0
  if (wasProbe || row.doubtful >= MOST_DOUBTFUL || (nobodyAccepted && row.doubtful >= MOST_DOUBTFUL_AT_START))
    return true
  const nothingWaits = !(yield* exists(sql`
    SELECT 1 FROM ${recipients} WHERE announcement = ${row.id} AND state = 'waiting' LIMIT 1`))
  return nothingWaits && nobodyAccepted && row.unknown === 0
}

function* firstDoubtful({ id, acceptedAt }: Announced) {
  const [first] = yield* allAs<{ customer: string; code: string | undefined; reason: string | undefined }>(sql`
    SELECT customer, code, reason FROM ${recipients}
    WHERE announcement = ${id} AND state = 'refused' AND nth > ${acceptedAt} ORDER BY nth LIMIT 1`)
  return first
}

/** Pauses an announcement because of an error that concerns all recipients, such as a missing token. */
export function* stopAnnouncement(
  tx: Tx,
  id: number,
  { now, reason }: { now: number; reason: string },
): Steps<boolean> {
  const [row] = yield* announcementsWhere(sql`id = ${id} AND state = 'running'`)
  if (!row) return false
  yield* pauseByError(tx, row, { now, reason, blamed: undefined })
  return true
}
