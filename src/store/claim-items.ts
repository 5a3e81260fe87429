import { EFFECTS } from './built-in.ts'
import { removeTimer, type Timer } from './customers.ts'
import { isHeldBack } from './rules/numbers.ts'
import { SUSPICIOUS_ATTEMPTS } from './rules/items.ts'
import { joined, type Query, sql } from './statements/sql.ts'
import { all, one, type Steps, type Tx } from './steps.ts'
import { createHash } from 'node:crypto'
import {
  beginFirst,
  enterDue,
  FIRST_ITEM,
  type FirstItem,
  type OwnDelivery,
  type OwnKind,
  storeOwn,
  type StartedItem,
} from './work/items.ts'
import {
  beginEach,
  earliest,
  enterEach,
  firstsOf,
  MOST_IN_ONE_COMMIT,
  nextDue,
  numbersWaiting,
  type Claim,
  type Claimed,
} from './work/lanes.ts'
import { declareDead } from './work/dead-processes.ts'
import { nextLeaseEnd, livingProcess } from './work/processes.ts'
import { meta } from './tables/meta-tables.ts'
import { work } from './tables/inbox-tables.ts'
import { sends } from './tables/outbox-tables.ts'
import { timers } from './tables/customer-tables.ts'

/**
 * Claims items. Timers that are due enter their lanes first, as many as a commit may take. So the next claim has more
 * to begin at once.
 */
export function* claimItems(tx: Tx, claim: Claim): Steps<Claimed<StartedItem>> {
  const { now } = claim
  if (tx.databaseState.newerSchema !== undefined)
    return { begun: [], nextAt: undefined, newerSchema: tx.databaseState.newerSchema }
  const unread = claim.unlessUnread && [...tx.databaseState.unread]
  const heldBack = { unread: new Set(unread?.filter((one) => !claim.unlessUnread?.includes(one))) }
  const process = yield* livingProcess(tx, claim, tx.alone)
  if (process === undefined) return { begun: [], nextAt: undefined, dead: true }
  yield* declareDead(tx, process, claim)
  const stored = yield* storeDueTimers(tx, claim.serviceNow ?? now, now)
  const entered = yield* enterDue(tx, now)
  const waiting = yield* numbersWaiting('work', claim)
  const numbers = waiting.filter((number) => !isHeldBack(heldBack, number))
  const firsts = yield* mayBegin(claim, numbers)
  const begun = yield* beginEach(tx, firsts, claim, (first) => beginFirst(tx, first, process))
  const isMore = !stored || !entered || firsts.length > begun.length
  const nextAt = isMore ? 0 : yield* nextTime(claim, process, numbers)
  return { begun, nextAt, ...(unread?.length && { unread }) }
}

const SUSPICIOUS = sql`(interrupted = 1 AND attempts >= ${SUSPICIOUS_ATTEMPTS})`

/**
 * Finds items that may begin. Suspects begin one at a time: after an outage there may be hundreds, and other lanes must
 * not wait for them.
 */
function* mayBegin(claim: Claim, numbers: readonly string[]): Steps<readonly FirstItem[]> {
  const firsts = (condition: Query, limit = claim.limit) =>
    firstsOf<FirstItem>('work', numbers, { ...claim, limit }, { columns: FIRST_ITEM, condition })
  if (claim.suspects === undefined) return yield* firsts(sql`true`)
  const others = yield* firsts(sql`NOT ${SUSPICIOUS}`)
  if (!claim.suspects) return others
  const [suspect] = yield* firsts(SUSPICIOUS, 1)
  return suspect ? [suspect, ...others].slice(0, claim.limit + 1) : others
}

function* nextTime({ now }: Claim, process: number, numbers: readonly string[]): Steps<number | undefined> {
  const inLane = yield* nextDue('work', numbers, now)
  const outside = yield* one<{ at: number | null }>(sql`
    SELECT min(due) AS at FROM ${work} WHERE place IS NULL AND due > ${now}`)
  return earliest(inLane, outside?.at, yield* nextLeaseEnd('work', process, now))
}

/** Stores an item for each timer that is due. Returns false if more are due. */
function* storeDueTimers(tx: Tx, serviceNow: number, now: number): Steps<boolean> {
  const due = yield* all<Timer & { readonly due_at: number; readonly says: string; readonly lane: string }>(sql`
    SELECT number, customer, kind, name, due_at, says, number || '/' || customer AS lane FROM ${timers}
    WHERE due_at <= ${serviceNow} AND ${notRestored(tx)} ORDER BY due_at LIMIT ${MOST_IN_ONE_COMMIT}`)
  return yield* enterEach(tx, due, function* ({ due_at: at, says, lane, ...timer }) {
    yield* removeTimer(timer)
    const id = idOf(timer, says)
    const { kind, number, customer } = timer
    const own: OwnDelivery = { kind: kind as OwnKind, id, says, number, customer, lane, at, cause: () => id }
    yield* storeOwn(tx, own, now)
  })
}

function notRestored({ databaseState }: Pick<Tx, 'databaseState'>) {
  return databaseState.restoredUpto === undefined
    ? sql`true`
    : sql`(item > ${databaseState.restoredUpto} OR EXISTS (SELECT 1 FROM ${meta} WHERE name = 'resumed:' || timers.number))`
}

/** The id of a timer's item. It is the same after a restore, so the sends of its handlers have the same keys. */
function idOf({ kind, number, customer, name }: Timer, says: string): string {
  const what = createHash('sha256').update(JSON.stringify([number, customer, name, says]))
  return `${kind}:${what.digest('base64url').slice(0, 26)}`
}

export function* nextDueAt(tx: Pick<Tx, 'databaseState'>): Steps<number | undefined> {
  const row = yield* one<{ at: number | null }>(sql`
    SELECT min(due_at) AS at FROM (
      SELECT min(due_at) AS due_at FROM ${timers} WHERE ${notRestored(tx)}
      UNION ALL SELECT min(due_at) FROM ${sends} WHERE state = 'scheduled'
      ${joined(
        EFFECTS.flatMap(({ nextDue }) => nextDue ?? []).map((next) => sql`UNION ALL ${next}`),
        ' ',
      )}) AS due`)
  return row?.at ?? undefined
}
