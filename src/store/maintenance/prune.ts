import { eachDoes, EFFECTS, SEARCHES_OF_FEATURES } from '../database/effects-of-features.ts'
import { KNOWS_NOTHING } from '../customers/customer.ts'
import { pruneStrays } from '../outbox/statuses.ts'
import { APP_CAUSE } from '../outbox/send-rules.ts'
import type { Query } from '../database/sql.ts'
import { inNumbers, raw, sql } from '../database/sql.ts'
import {
  all,
  allTogether,
  exists,
  growingUntilLong,
  execute,
  type Steps,
  together,
  type Tx,
} from '../database/steps.ts'
import { eraseForgotten, lookAgain } from './forget.ts'
import { metaValue, setMeta } from '../database/meta.ts'
import { afterKey, type At, eachSideBySide, oldOr0, type OldRow, type Search } from '../database/search.ts'
import {
  IDENTITY_KEPT_MS,
  cutContents,
  type DeliveryRows,
  deliveriesAfter,
  deliveriesWith,
  PASSED_AT_ONCE,
  type Portion,
  removeDeliveries,
  removeSends,
  wipeContents,
  withContentsAfter,
} from './removal.ts'
import { sendsIn, sendsOfItems } from '../outbox/rows.ts'
import { contents, inbox, work } from '../database/inbox-tables.ts'
import { customers, SILENCER } from '../database/customer-tables.ts'
import { sends } from '../database/outbox-tables.ts'

export interface Pruning {
  readonly bytesBefore: number
  /** Wall time before which ids are removed. Not later than `bytesBefore`. */
  readonly idsBefore: number
  readonly now: number
  /** Do nothing if another process has begun a pruning with the same retention after this time. */
  readonly unlessSince?: number
  /** How many deliveries a transaction prunes. It may end earlier. */
  readonly limit: number
  readonly after?: PruneCursor
}

export interface PruneCursor {
  readonly stage: 'forgotten' | 'bytes' | 'rows' | 'strays' | 'features' | Searched
  readonly at: At
}

export interface Pruned {
  readonly wiped: number
  readonly removed: number
  /** How many statuses belong to messages that this store does not know. */
  readonly strays: number
  /** Where to continue; undefined if all rows were read. */
  readonly next: PruneCursor | undefined
  /** Set if nothing was done because of `unlessSince`: when the other process began its pruning. */
  readonly begunAt?: number
}

/**
 * Prunes one portion. Call it with `next` until that is undefined, and with the result of `findOld`. Age is counted
 * from receipt. Never removed by age: open, parked, dead or quarantined items, and conflicts. A suspected replay stays
 * as long as the delivery with the same bytes. Bytes stay while a conflict shares them. Identities stay at least 30
 * days. Sends and `once` results stay as long as their delivery, and the delivery stays while one of its sends is open
 * or unknown.
 */
export function* prune(tx: Tx, pruning: Pruning, found: Found = NONE): Steps<Pruned> {
  if (tx.databaseState.newerSchema !== undefined) return NOTHING
  if (!pruning.after) {
    const begunAt = yield* takeTurn(pruning)
    if (begunAt !== undefined) return { ...NOTHING, begunAt }
    yield* lookAgain()
  }
  const { stage = STAGES[0], at = [] } = pruning.after ?? {}
  const { pruned = 0, next } = yield* isSearched(stage)
    ? pruneFound(tx, SEARCHES[stage], pruning, found)
    : RUN[stage](tx, pruning, at)
  return endOf(stage, pruned, next)
}

function endOf(stage: Stage, pruned: number, next: At | undefined): Pruned {
  const following = STAGES[STAGES.indexOf(stage) + 1]
  return {
    wiped: stage === 'bytes' ? pruned : 0,
    removed: stage === 'rows' ? pruned : 0,
    strays: stage === 'strays' ? pruned : 0,
    next: next ? { stage, at: next } : following && { stage: following, at: [] },
  }
}

type Stage = PruneCursor['stage']

const NOTHING: Pruned = { wiped: 0, removed: 0, strays: 0, next: undefined }

function* takeTurn({ now, unlessSince, bytesBefore, idsBefore }: Pruning): Steps<number | undefined> {
  if (unlessSince === undefined) return undefined
  const retention = `${now - bytesBefore} ${now - idsBefore}`
  const [, last = 0, lastRetention] = /^(\d+) (.*)$/.exec((yield* metaValue('pruned_at')) ?? '') ?? []
  // A time in the future does not count: it was stored before the clock was set back.
  if (+last > unlessSince && +last <= now && lastRetention === retention) return +last
  yield* setMeta('pruned_at', `${now} ${retention}`)
  return undefined
}

interface StageEnd {
  readonly pruned?: number
  readonly next: At | undefined
}

const whileTrue = (portion: (tx: Tx, pruning: Pruning) => Steps<boolean>) =>
  function* (tx: Tx, pruning: Pruning): Steps<StageEnd> {
    return { next: (yield* portion(tx, pruning)) ? [] : undefined }
  }

const RUN: Readonly<Record<Exclude<Stage, Searched>, (tx: Tx, pruning: Pruning, at: At) => Steps<StageEnd>>> = {
  forgotten: whileTrue((tx, { limit }) => eraseForgotten(tx, limit)),
  bytes: pruneBytes,
  rows: pruneRows,
  strays: pruneStrays,
  features: whileTrue(function* (_, { idsBefore, limit }) {
    for (const { prune } of EFFECTS) if (prune && (yield* prune(idsBefore, limit))) return true
    return false
  }),
}

const SEARCHED_FEATURES = Object.keys(SEARCHES_OF_FEATURES) as (keyof typeof SEARCHES_OF_FEATURES)[]

const STAGES: readonly [Stage, ...Stage[]] = [
  'forgotten',
  'bytes',
  'rows',
  'sends',
  'strays',
  'customers',
  ...SEARCHED_FEATURES,
  'features',
]

function isAtRest({ mark, items }: DeliveryRows): boolean {
  if (mark === 'quarantined' || mark === 'conflict') return false
  return items.every(({ state }) => state === null)
}

/** Selects deliveries that are not open and need no person. A suspected replay stays as long as its first delivery. */
function* atRest(deliveries: readonly DeliveryRows[]): Steps<readonly DeliveryRows[]> {
  const resting = deliveries.filter(isAtRest)
  const firstOf = ({ mark, first }: DeliveryRows) => (mark === 'suspected_replay' ? first : null)
  const waiting = new Set(
    (yield* deliveriesWith(resting.flatMap((one) => firstOf(one) ?? [])))
      .filter((one) => !isAtRest(one))
      .map(({ id }) => id),
  )
  return waiting.size === 0 ? resting : resting.filter((one) => !waiting.has(firstOf(one) ?? 0))
}

const SOME = { from: 20 }

/**
 * Prunes deliveries. It ends at a portion that has only young rows. A portion in which all rows are dated in the
 * future, by a fast clock, does not end it. Returns how many it pruned.
 */
function* pruneDeliveries(
  tx: Pick<Tx, 'isLong'>,
  { kept, upto }: Portion,
  { now, before }: Pick<Pruning, 'now'> & { readonly before: number },
  prune: (resting: readonly DeliveryRows[]) => Steps<number>,
): Steps<StageEnd> {
  let pruned = 0
  const looked = yield* growingUntilLong(tx, kept, SOME, function* (some) {
    const old = some.filter(({ received_at: at }) => at < before)
    const resting = yield* atRest(old)
    if (resting.length > 0) pruned += yield* prune(resting)
  })
  const areYoung = kept.every(({ received_at: at }) => at >= before) && kept.some(({ received_at: at }) => at <= now)
  const behind = areYoung ? undefined : upto
  const next = looked < kept.length ? kept[looked - 1]?.id : behind
  return { pruned, next: next === undefined ? undefined : [next] }
}

const listOf = (deliveries: readonly DeliveryRows[]) => deliveries.map(({ id }) => id)
const idsIn = (rows: readonly { readonly id: number }[] = []) => new Set(rows.map(({ id }) => id))

function* pruneBytes(tx: Tx, { now, bytesBefore, limit }: Pruning, [at = 0]: At): Steps<StageEnd> {
  const after = Number(at)
  const portion = yield* withContentsAfter(after, limit)
  const end = yield* pruneDeliveries(tx, portion, { now, before: bytesBefore }, function* (resting) {
    const ids = listOf(resting)
    const [bodies, lenders] = (yield* allTogether<{ id: number }>(
      sql`SELECT id FROM ${contents} WHERE id ${inNumbers(ids)} AND body IS NOT NULL`,
      // If a conflict has the same bytes, only this row has them, and a person still needs them.
      sql`SELECT first AS id FROM ${inbox} WHERE first ${inNumbers(ids)} AND mark = 'conflict' AND digest IS NULL`,
    )).map(idsIn) as [Set<number>, Set<number>]
    const going = resting.filter(({ id }) => !lenders.has(id))
    yield* wipeContents(going.flatMap(({ items }) => items.map(({ id }) => id)))
    return going.filter(({ id }) => bodies.has(id)).length
  })
  yield* cutContents(after, Number(end.next?.[0] ?? portion.last ?? after))
  return end
}

const IDENTITIES_AT_ONCE = 500

function* pruneRows(tx: Tx, { idsBefore, now, limit }: Pruning, [after = 0]: At): Steps<StageEnd> {
  const identitiesSince = Math.min(idsBefore, now - IDENTITY_KEPT_MS)
  const portion = yield* deliveriesAfter(Number(after), limit)
  const end = yield* pruneDeliveries(tx, portion, { now, before: idsBefore }, function* (resting) {
    const ids = listOf(resting)
    const [needed, sends] = yield* together(
      () =>
        all<{ id: number }>(sql`
          SELECT first AS id FROM ${inbox} WHERE first ${inNumbers(ids)}
          UNION ALL SELECT id FROM ${contents} WHERE id ${inNumbers(ids)} AND body IS NOT NULL`),
      () => sendsOfItems(resting.flatMap(({ items }) => items)),
    )
    const isNeeded = idsIn(needed)
    const others = resting.filter(({ id }) => !isNeeded.has(id))
    // A delivery stays until its sends are old, because a rerun may use their keys.
    const young = sends.filter(({ settled_at: at, state }) => at === null || at >= idsBefore || state === 'unknown')
    const going = others.filter(({ items }) => sendsIn(young, items).length === 0)
    yield* removeDeliveries(going, identitiesSince, sends)
    return going.length
  })
  if (end.next) return end
  const gone = yield* execute(sql`
    DELETE FROM ${inbox} WHERE id IN (
      SELECT id FROM ${inbox} WHERE cause = '' AND received_at < ${identitiesSince} ORDER BY received_at LIMIT ${IDENTITIES_AT_ONCE})`)
  return gone < IDENTITIES_AT_ONCE ? end : { ...end, next: [after] }
}

// ── stages that search ───────────────────────────────────────────────────────────────────────────────

/**
 * The stages of pruning in which nearly all rows stay. Their old rows are found before the transaction that removes
 * them, so nobody waits for the search.
 */
type Searched = 'sends' | 'customers' | keyof typeof SEARCHES_OF_FEATURES

export interface Found {
  readonly old: readonly OldRow[]
  /** Where to continue; undefined if all rows were read. */
  readonly next: At | undefined
}

const NONE: Found = { old: [], next: undefined }

function isSearched(stage: Stage): stage is Searched {
  return stage in SEARCHES
}

/** Returns the search of a stage; undefined if the stage finds its rows in its transaction. */
export function findOld({ after, idsBefore }: Pruning): ((tx: Pick<Tx, 'databaseState'>) => Steps<Found>) | undefined {
  if (!after || !isSearched(after.stage)) return undefined
  const { key, rows } = SEARCHES[after.stage]
  const names = raw(key.join(', '))
  return function* ({ databaseState }) {
    if (databaseState.newerSchema !== undefined) return NONE
    const found = yield* all<OldRow>(sql`
      SELECT * FROM (
        SELECT r.*, row_number() OVER (ORDER BY ${names}) AS n
        FROM (${rows(idsBefore, after.at)} ORDER BY ${names} LIMIT ${PASSED_AT_ONCE}) AS r) AS numbered
      WHERE old = 1 OR n = ${PASSED_AT_ONCE} ORDER BY n`)
    const last = found.at(-1)
    return {
      old: found.filter(({ old }) => old === 1),
      next: last?.['n'] === PASSED_AT_ONCE ? keyIn(last, key) : undefined,
    }
  }
}

/** Returns the result of a step that found nothing old. */
export function passed({ after }: Pruning, { next }: Found): Pruned {
  return after ? endOf(after.stage, 0, next) : NOTHING
}

function* pruneFound(tx: Tx, { key, remove }: Search, { idsBefore }: Pruning, { old, next }: Found): Steps<StageEnd> {
  const done = yield* remove(tx, old, idsBefore)
  const last = old[done - 1]
  return { next: last && done < old.length ? keyIn(last, key) : next }
}

function keyIn(row: OldRow, key: readonly string[]): At {
  return key.map((name) => row[name] as number | string)
}

const isOldSend = (before: number) => sql`settled_at < ${before} AND state <> 'unknown'`

/**
 * Uses the index over causes, which is in the order of seq. The cause is a parameter: if PostgreSQL knew this frequent
 * value, it would read all sends in the order of their keys instead.
 */
const SENDS_OF_APP: Search = {
  key: ['seq'],
  rows: (before, at) => sql`
    SELECT seq, ${oldOr0(isOldSend(before))} FROM ${sends} WHERE cause = ${APP_CAUSE} ${afterKey(sql`seq`, at)}`,
  remove: eachSideBySide(function* ({ seq }, before) {
    const which = sql`seq = ${seq} AND ${isOldSend(before)}`
    if (!(yield* exists(sql`SELECT 1 FROM ${sends} WHERE ${which}`))) return
    yield* eachDoes(({ beforeSendGoes }) => beforeSendGoes?.(Number(seq)))
    yield* removeSends(which)
  }),
}

/** Selects customers whose last message was long ago and whose lane has no waiting or running item. */
function movedBefore(before: number): Query {
  return sql`moved_at < ${before} AND NOT EXISTS (SELECT 1 FROM ${work} WHERE lane = number || '/' || customer AND place < 2)`
}

function willKnowNothing(before: number): Query {
  return sql`conversation IS NULL AND (last_at IS NULL OR ${movedBefore(before)})
    AND ${SILENCER ? sql`((${SILENCER.isBlank}) OR ${SILENCER.isOld(before)})` : sql`true`}
    AND (session IS NULL OR session_expires_at < ${before})`
}

const NO_SILENCE = raw(
  Object.keys(SILENCER?.columns ?? {})
    .map((name) => `${name} = NULL`)
    .join(', '),
)

/** Rows are searched by their keys. An index over their times would have to change with every delivery. */
const CUSTOMERS: Search = {
  key: ['number', 'customer'],
  rows: (before, at) => sql`
    SELECT number, customer, ${oldOr0(sql`moved_at < ${before} OR session_expires_at < ${before}
      OR ${SILENCER?.isOld(before) ?? sql`false`} OR ${KNOWS_NOTHING}`)}
    FROM ${customers} WHERE true ${afterKey(sql`number, customer`, at)}`,
  remove: (tx, old, before) =>
    growingUntilLong(tx, old, { from: 10 }, (some) => {
      const [first, last] = [some[0] as OldRow, some.at(-1) as OldRow]
      const these = sql`(number, customer) >= (${first['number']}, ${first['customer']})
        AND (number, customer) <= (${last['number']}, ${last['customer']})`
      return allTogether(
        sql`DELETE FROM ${customers} WHERE ${these} AND ${willKnowNothing(before)}`,
        sql`
          UPDATE ${customers} SET last_at = NULL, moved_at = NULL, handled_at = NULL, sent_at = NULL
          WHERE ${these} AND ${movedBefore(before)}`,
        ...(SILENCER ? [sql`UPDATE ${customers} SET ${NO_SILENCE} WHERE ${these} AND ${SILENCER.isOld(before)}`] : []),
        sql`
          UPDATE ${customers} SET session = NULL, session_version = NULL, session_expires_at = NULL
          WHERE ${these} AND session_expires_at < ${before}`,
      )
    }),
}

const SEARCHES: Readonly<Record<Searched, Search>> = {
  sends: SENDS_OF_APP,
  customers: CUSTOMERS,
  ...SEARCHES_OF_FEATURES,
}
