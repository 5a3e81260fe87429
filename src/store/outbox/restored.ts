import { eachDoes } from '../database/effects-of-features.ts'
import { AT_ONCE } from '../work/item-rules.ts'
import { RESTORED } from './send-rules.ts'
import { sql } from '../database/sql.ts'
import { all, exists, one, portionOf, execute, type Steps, type Tx } from '../database/steps.ts'
import { metaValue, setMeta, meta } from '../database/meta.ts'
import { enterLane, leaveLane } from '../work/lanes.ts'
import { BY_STATE, OPEN_SENDS, type Row, SHOWN_STATE } from './rows.ts'
import { restart } from './parts.ts'
import { probeThrottles } from './throttles.ts'
import { inbox } from '../database/inbox-tables.ts'
import { sends } from '../database/outbox-tables.ts'

export interface Restored {
  /**
   * Why sends are held. `asked`: by `start({ restored: true })`. `noticed`: the generation in an SQLite database is
   * lower than the one beside it. `brought`: an SQLite database with open work has no generation beside it, or a
   * PostgreSQL database is on another server. `earlier`: an earlier opening held them.
   */
  readonly why: 'asked' | 'noticed' | 'brought' | 'earlier'
  readonly held: number
}

/**
 * Holds sends of a restored database, because they may have gone out since the backup. Replies to restored deliveries
 * are held when they are recorded. Returns where the next portion begins.
 */
export function* holdSends(
  tx: Pick<Tx, 'isLong' | 'databaseState' | 'wake'>,
  limit: number,
  after = 0,
): Steps<number | undefined> {
  if (after === 0) yield* beginRestored(tx)
  if (tx.databaseState.restoredUpto === undefined) return undefined
  const rows = yield* all<Row>(sql`
    SELECT * FROM ${sends} WHERE seq IN ${OPEN_SENDS} AND seq > ${after} ORDER BY seq LIMIT ${limit}`)
  const next = yield* portionOf(tx, rows, limit, (row) => holdSend(tx, row))
  if (next) return next.seq
  yield* execute(sql`DELETE FROM ${meta} WHERE name = 'holding'`)
  return undefined
}

function* holdSend(tx: Pick<Tx, 'wake'>, row: Row): Steps<void> {
  if (row.held_from !== null || row.withheld === 1) return
  if (yield* exists(sql`SELECT 1 FROM ${meta} WHERE name = ${`resumed:${row.number}`}`)) return
  const from = row.state === 'attempting' || row.state === 'scheduled' ? row.state : 'ready'
  yield* execute(sql`
    UPDATE ${sends} SET held_from = ${from}, state = 'held', code = ${RESTORED.code}, reason = ${RESTORED.reason}
    WHERE seq = ${row.seq}`)
  yield* leaveLane(tx, row)
}

function* beginRestored({ databaseState }: Pick<Tx, 'databaseState'>): Steps<void> {
  yield* endResumed()
  yield* eachDoes(({ restored }) => restored?.())
  const last = (yield* one<{ id: number }>(sql`SELECT coalesce(max(id), 0) AS id FROM ${inbox}`))?.id ?? 0
  yield* setMeta('restored_upto', String(last))
  yield* setMeta('holding', '1')
  databaseState.restoredUpto = last
}

export function* isHolding(): Steps<boolean> {
  return (yield* metaValue('holding')) !== undefined
}

export function* countHeldSends(): Steps<number | undefined> {
  if (!(yield* exists(sql`SELECT 1 FROM ${meta} WHERE name IN ('restored_upto', 'resuming')`))) return undefined
  const held = yield* one<{ n: number }>(sql`
    SELECT count(*) AS n FROM ${sends} WHERE ${BY_STATE} AND state = 'held' AND held_from IS NOT NULL`)
  return held?.n
}

function* endRestored({ databaseState }: Tx, number: string | undefined): Steps<void> {
  if (databaseState.restoredUpto === undefined) return
  if (number !== undefined) return yield* setMeta(`resumed:${number}`, '1')
  yield* endResumed()
  // If this process ends before it has resumed all sends, the next start finds those that are still held.
  yield* setMeta('resuming', String(databaseState.restoredUpto))
  yield* execute(sql`DELETE FROM ${meta} WHERE name = 'restored_upto'`)
  databaseState.restoredUpto = undefined
}

function* endResumed(): Steps<void> {
  yield* execute(sql`DELETE FROM ${meta} WHERE name LIKE 'resumed:%'`)
}

/** Resumes sends of a number. `restored`: sends that a restore held go out too, marked `possiblyTwice`. */
export function* resumeSends(
  tx: Tx,
  { number, restored }: { number?: string | undefined; restored: boolean },
  limit: number,
  after: number,
) {
  const throttles = after === 0 ? yield* probeThrottles(tx, number) : []
  // From here on no send is held any more, so none can be added behind the last row that is read.
  if (after === 0 && restored) yield* endRestored(tx, number)
  const rows = yield* all<Row & { readonly shown: string }>(sql`
    SELECT *, ${SHOWN_STATE} AS shown FROM ${sends} WHERE seq IN ${OPEN_SENDS} AND seq > ${after} ORDER BY seq LIMIT ${limit}`)
  const resumed = { held: 0, restored: 0 }
  const next = yield* portionOf(tx, rows, limit, function* (row) {
    const what = number === undefined || row.number === number ? yield* resumeSend(tx, row, restored) : undefined
    if (what === undefined) return
    resumed[what]++
    tx.wake('sends')
  })
  if (!next && restored && number === undefined) yield* execute(sql`DELETE FROM ${meta} WHERE name = 'resuming'`)
  return { throttles, ...resumed, next: next?.seq }
}

function* resumeSend(
  tx: Pick<Tx, 'wake'>,
  row: Row & { readonly shown: string },
  restored: boolean,
): Steps<'held' | 'restored' | undefined> {
  if (restored && row.held_from !== null) {
    yield* execute(sql`
      UPDATE ${sends} SET state = held_from, held_from = NULL, code = NULL, reason = NULL, possibly_twice = 1
      WHERE seq = ${row.seq}`)
    if (row.held_from !== 'scheduled') yield* enterLane('sends', row.seq, row.lane, AT_ONCE)
    return 'restored'
  }
  if (row.shown !== 'held' || row.held_from !== null) return undefined
  // A part of a message enters its lane again. Before it goes out, the part before it is checked.
  if (row.state === 'held') {
    yield* restart(tx, [row])
    return undefined
  }
  // A send of a stopped number is tried at once.
  if (row.next_at > AT_ONCE) yield* execute(sql`UPDATE ${sends} SET next_at = ${AT_ONCE} WHERE seq = ${row.seq}`)
  return 'held'
}
