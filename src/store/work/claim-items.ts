import { EFFECTS } from '../database/effects-of-features.ts'
import { removeTimer, type Timer } from '../customers/customer.ts'
import { SUSPICIOUS_ATTEMPTS } from './item-rules.ts'
import { joined, type Query, sql } from '../database/sql.ts'
import { all, one, type Steps, type Tx } from '../database/steps.ts'
import { hasUnread } from './subscriptions.ts'
import { claimFirsts, enterEach, firstsOf, MOST_IN_ONE_COMMIT } from './claims.ts'
import { GATHERER } from './gathering.ts'
import {
  beginFirst,
  FIRST_ITEM,
  type FirstItem,
  type OwnDelivery,
  type OwnKind,
  storeOwn,
  type StartedItem,
} from './items.ts'
import { type Claim, type Claimed, enterLane } from './lanes.ts'
import { meta } from '../database/meta.ts'
import { work } from '../database/inbox-tables.ts'
import { sends } from '../database/outbox-tables.ts'
import { timers } from '../database/customer-tables.ts'
import { createHash } from 'node:crypto'

/** Claims items. First, timers that are due become items, as many as one commit may take. */
export function* claimItems(tx: Tx, claim: Claim): Steps<Claimed<StartedItem>> {
  const { now, serviceNow = now, unlessUnread } = claim
  const unread = unlessUnread && [...tx.databaseState.unread]
  const withUnread = { unread: new Set(unread?.filter((one) => !unlessUnread?.includes(one))) }
  const claimed = yield* claimFirsts<FirstItem, StartedItem>(tx, 'work', claim, {
    mayClaim: (number) => !hasUnread(withUnread, number),
    *enter() {
      const areStored = yield* storeDueTimers(tx, serviceNow, now)
      return (yield* enterDue(tx, now)) && areStored
    },
    firsts: (numbers) => mayBegin(claim, numbers),
    begin: (first, process) => beginFirst(tx, first, process),
    *otherTime() {
      const outside = yield* one<{ at: number | null }>(sql`
        SELECT min(due) AS at FROM ${work} WHERE place IS NULL AND due > ${now}`)
      return outside?.at
    },
  })
  const isRefused = claimed.dead === true || claimed.newerSchema !== undefined
  return { ...claimed, ...(!isRefused && unread?.length && { unread }) }
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

/** Moves items that are due into their lanes. Returns false if more are due. */
function* enterDue(tx: Pick<Tx, 'isLong' | 'alone'>, now: number): Steps<boolean> {
  const due = yield* all<{ item: number; lane: string; state: string }>(sql`
    SELECT item, lane, state FROM ${work} WHERE place IS NULL AND due <= ${now} ORDER BY due, item
    LIMIT ${MOST_IN_ONE_COMMIT}`)
  return yield* enterEach(tx, due, ({ item, lane, state }) =>
    state === 'gathering' && GATHERER ? GATHERER.sealIfFree(lane, now) : enterLane('work', item, lane, now),
  )
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
