import { type ChangesOfFeatures, eachDoes, writeChanges } from '../database/effects-of-features.ts'
import { markHandled, writeSession, type SessionWrite } from '../customers/customer.ts'
import { sql } from '../database/sql.ts'
import { grouped, remove } from '../database/statements.ts'
import { inbox, once_results, work } from '../database/inbox-tables.ts'
import { one, execute, type FirstOfLane, type KnownFirst, type Steps, type Tx } from '../database/steps.ts'
import { inBundle } from './bundles.ts'
import { enterGathered, promoteItem } from './gathering.ts'
import { beginItem, itemBehind, type StartedItem, type Failure } from './items.ts'
import {
  countBehind,
  type Fence,
  type Begun,
  type Next,
  FENCE,
  isAlive,
  isRun,
  itemPassesFence,
  runState,
} from './lanes.ts'
import type { WaitingReason } from '../database/store-effects.ts'
import { hasUnread } from './subscriptions.ts'

export interface Settled<Work> {
  /** False if the item or send was freed. Then nothing was changed. */
  readonly stands: boolean
  /** Set if nothing was settled, because a newer session changed the same key. The item still runs. */
  readonly sessionChanged?: true
  /** The settlement that was stored instead, because the database refused a value such as the session. */
  readonly instead?: Settlement
  /** Set if the customer was forgotten while the item ran. The item ends, whatever its outcome. */
  readonly forgotten?: true
  readonly next: Begun<Work> | undefined
  /** How many items of the lane wait for the next attempt at this one. */
  readonly behind?: number
}

/**
 * The result of an attempt. `completedHandlers` do not run again. `failure`: undefined keeps the last failure.
 * `leftToPerson`: why the customer waits for a person from now on, because nobody else answers this message.
 */
export type Settlement =
  | {
      readonly as: 'done'
      readonly session?: SessionWrite | undefined
      readonly changes?: ChangesOfFeatures | undefined
      readonly leftToPerson?: WaitingReason | undefined
    }
  /** No route matched, or the bot rested. */
  | { readonly as: 'ignored' | 'rested'; readonly leftToPerson?: WaitingReason | undefined }
  | {
      readonly as: 'parked' | 'dead'
      readonly reason: string
      readonly leftToPerson?: WaitingReason | undefined
      readonly changes?: ChangesOfFeatures | undefined
      readonly completedHandlers?: readonly string[]
      readonly failure?: Failure | undefined
    }
  | {
      readonly as: 'retry'
      readonly reason: string
      /** Wall time. */
      readonly at: number
      /** True if the lane waits for the next attempt at this item. False if the lane's other items continue. */
      readonly blocksLane: boolean
      readonly completedHandlers: readonly string[]
      readonly failure?: Failure | undefined
    }
  /**
   * An orderly stop, or a run that began too early. It is not counted as an attempt. `at`: wall time of the next
   * attempt, default now.
   */
  | {
      readonly as: 'released'
      readonly completedHandlers: readonly string[]
      readonly at?: number
      readonly blocksLane?: boolean
    }

type Left = Pick<FirstOfLane, 'followed' | 'number' | 'bundle' | 'state'>

const DONE = grouped(FENCE, (run) => remove(work, isRun(run), ['followed', 'number', 'bundle', 'state']))

const DONE_SURELY = grouped(FENCE, (run) => remove(work, isRun(run), [], { isUnanswered: true }))

const DONE_ALONE = grouped(FENCE, (run) =>
  remove(work, sql`${isRun(run)} AND followed = 0 AND bundle IS NULL AND state = 'running'`),
)

/** Settles an item with its bundle. The commit is repeated until it succeeds. See `Settled.sessionChanged`. */
export function* settleItem(
  tx: Tx,
  fence: Fence,
  item: number,
  settlement: Settlement,
  next: Next,
): Steps<Settled<StartedItem>> {
  const run = { item, owner: fence.owner, run: fence.run }
  const mine = ownRow(tx.firstItem?.(fence.lane), run)
  const isPlain = settlement.as === 'done' && !settlement.session && !settlement.changes && !settlement.leftToPerson
  if (isPlain && !mine && (yield DONE_ALONE(run)).changes > 0) return SETTLED
  if (isPlain || !(mine ? mine.state === 'running' : yield* itemPassesFence(fence))) {
    const done = yield* endRun(run, mine)
    if (!done) return FREED
    if (done.state === 'running') return yield* afterDone(tx, fence, item, done, next)
    return { ...(yield* afterLeaving(tx, fence, done, next)), stands: ENDS.has(settlement.as), forgotten: true }
  }
  if (settlement.as === 'done' && settlement.session) {
    const who = yield* one<{ number: string; customer: string }>(sql`
      SELECT number, customer FROM ${inbox} WHERE id = ${item} AND customer IS NOT NULL`)
    if (who && !(yield* writeSession(who, settlement.session)))
      return { stands: true, next: undefined, sessionChanged: true }
  }
  if ('changes' in settlement && settlement.changes) yield* writeChanges(item, settlement.changes, next.now)
  const { leftToPerson: why } = settlement as { readonly leftToPerson?: WaitingReason }
  if (why) yield* eachDoes(({ leftToPerson }) => leftToPerson?.(item, why, next.now))
  switch (settlement.as) {
    case 'done':
      return yield* afterDone(tx, fence, item, (yield* endRun(run, mine)) as Left, next)
    case 'ignored':
    case 'rested': {
      const done = (yield* endRun(run, mine)) as Left
      if (done.bundle !== null) yield* execute(sql`DELETE FROM ${work} WHERE ${inBundle(done.bundle)}`)
      const which = done.bundle === null ? sql`id = ${item}` : sql`bundle = ${done.bundle}`
      yield* execute(sql`UPDATE ${inbox} SET mark = ${settlement.as} WHERE ${which}`)
      return yield* afterLeaving(tx, fence, done, next)
    }
    default:
      return yield* setAside(tx, fence, item, settlement, next)
  }
}

type Run = { readonly item: number; readonly owner: number; readonly run: number }

function* endRun(run: Run, mine: Left | undefined): Steps<Left | undefined> {
  if (!mine) return (yield DONE(run)).rows[0] as Left | undefined
  yield DONE_SURELY(run)
  return mine
}

/** Returns the item's row, if the transaction has read it as the first of its lane, and it still runs. */
function ownRow(first: KnownFirst, { item, owner, run }: Run): Left | undefined {
  if (first === undefined || first === 'free') return undefined
  return first.item === item && first.owner === owner && first.run === run && first.place === 1 ? first : undefined
}

const ENDS: ReadonlySet<Settlement['as']> = new Set(['done', 'ignored', 'rested'])
const FREED: Settled<StartedItem> = { stands: false, next: undefined }
const SETTLED: Settled<StartedItem> = { stands: true, next: undefined }

function* afterDone(tx: Tx, fence: Fence, item: number, done: Left, next: Next): Steps<Settled<StartedItem>> {
  if (done.bundle !== null) yield* execute(sql`DELETE FROM ${work} WHERE ${inBundle(done.bundle)}`)
  // If no item waited behind it, the item is marked as handled when the customer's next message arrives.
  if (done.followed > 0) yield* markHandled(fence.lane, item)
  return yield* afterLeaving(tx, fence, done, next)
}

function* afterLeaving(tx: Tx, fence: Fence, left: Left, next: Next): Steps<Settled<StartedItem>> {
  return { stands: true, next: left.followed !== 1 ? undefined : yield* beginNextItem(tx, fence, left.number, next) }
}

function* beginNextItem(
  tx: Tx,
  { lane, owner }: Fence,
  number: string,
  { now, goOn }: Next,
): Steps<Begun<StartedItem> | undefined> {
  // Unread deliveries of the number may contain an earlier message, so they are read first.
  const mayBegin = goOn && !hasUnread(tx.databaseState, number) && tx.databaseState.newerSchema === undefined
  const behind = mayBegin ? yield* itemBehind(lane) : undefined
  if (behind && (yield* isAlive(tx, owner))) return { ...(yield* beginItem(tx, behind, owner)), isFollowed: true }
  yield* mayBegin && !behind ? enterGathered(tx, lane, now) : promoteItem(tx, lane, now)
  return undefined
}

/**
 * Ends an attempt that is not the last word. A parked or dead item leaves its lane. An item that is attempted again
 * stays first if it blocks the lane, and waits outside otherwise.
 */
function* setAside(
  tx: Tx,
  fence: Fence,
  item: number,
  settlement: Exclude<Settlement, { as: 'done' | 'ignored' | 'rested' }>,
  next: Next,
): Steps<Settled<StartedItem>> {
  const { as, completedHandlers } = settlement
  const { reason, failure } = as === 'released' ? NO_REASON : settlement
  const left = (yield* one<Left>(sql`SELECT followed, number, bundle, state FROM ${work} WHERE item = ${item}`)) as Left
  yield* execute(sql`
    UPDATE ${work} SET state = ${as === 'released' ? 'stored' : as}, attempts = attempts - ${as === 'released' ? 1 : 0},
      completed = coalesce(${completedHandlers && JSON.stringify(completedHandlers)}, completed),
      reason = coalesce(${reason}, reason), failure = coalesce(${failure && JSON.stringify(failure)}, failure)
    WHERE ${left.bundle === null ? sql`item = ${item}` : inBundle(left.bundle)}`)
  const isAgain = as === 'retry' || as === 'released'
  const at = isAgain ? (settlement.at ?? next.now) : undefined
  // The workers are notified, because a claim has to begin the item.
  if (at !== undefined) tx.wake('items')
  if (isAgain && at !== undefined && (settlement.blocksLane === true || at <= next.now)) {
    yield* execute(sql`UPDATE ${work} SET place = 0, owner = NULL, due = ${at} WHERE item = ${item}`)
    return at > next.now ? { ...SETTLED, behind: yield* countBehind(fence.lane) } : SETTLED
  }
  yield* execute(sql`UPDATE ${work} SET place = NULL, owner = NULL, followed = 0, due = ${at} WHERE item = ${item}`)
  return yield* afterLeaving(tx, fence, left, next)
}

const NO_REASON = { reason: undefined, failure: undefined }

// ── results of once ─────────────────────────────────────────────────────────────────────────────────

export function* onceResult(item: number, name: string): Steps<string | undefined> {
  const kept = yield* one<{ result: string }>(sql`
    SELECT result FROM ${once_results} WHERE item = ${item} AND name = ${name}`)
  return kept?.result
}

/**
 * Stores the result of `once`; a known result stays. The result is committed before the settlement, so that a rerun
 * finds it. Returns false if the item was freed.
 */
export function* keepOnce(fence: Fence, item: number, name: string, result: string): Steps<boolean> {
  const state = yield* runState(fence)
  if (state !== 'running' && state !== 'forgetting') return false
  yield* execute(sql`
    INSERT INTO ${once_results} (item, name, result) VALUES (${item}, ${name}, ${result}) ON CONFLICT DO NOTHING`)
  return true
}
