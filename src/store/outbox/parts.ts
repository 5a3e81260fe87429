import { AT_ONCE } from '../work/item-rules.ts'
import { followsPart, isSurelyNotSent, PART_ENDED } from './send-rules.ts'
import { sql } from '../database/sql.ts'
import { all, execute, type Steps, type Tx } from '../database/steps.ts'
import { enterLane, leaveLane } from '../work/lanes.ts'
import { partsOf, type Row, type NewSend } from './rows.ts'
import { sends, type SendRow } from '../database/outbox-tables.ts'

function* laterParts({ part_of: first, part }: Pick<Row, 'part_of' | 'part'>): Steps<readonly Row[]> {
  if (first === null) return []
  return yield* all<Row>(sql`SELECT * FROM ${sends} WHERE part_of = ${first} AND part > ${part} ORDER BY part`)
}

export function* shownParts({ part_of: first }: Pick<Row, 'part_of'>): Steps<readonly SendRow[]> {
  return first === null ? [] : (yield* partsOf(first)).slice(1)
}

/** Removes the later parts of a message whose first part was surely not sent. They never go out before that part. */
export function* removeLaterParts(tx: Pick<Tx, 'wake'>, row: Row): Steps<void> {
  for (const part of yield* laterParts(row)) {
    yield* leaveLane(tx, part)
    yield* execute(sql`DELETE FROM ${sends} WHERE id = ${part.id}`)
  }
}

export function* endLaterParts(tx: Pick<Tx, 'wake'>, row: Row, now: number): Steps<void> {
  for (const part of yield* laterParts(row)) {
    yield* execute(sql`
      UPDATE ${sends} SET state = 'skipped', code = ${PART_ENDED.code}, reason = ${PART_ENDED.reason}, settled_at = ${now}
      WHERE id = ${part.id}`)
    yield* leaveLane(tx, part)
  }
}

/** Continues a message behind its last accepted part. The recorded bytes go out, even if the rerun's text differs. */
export function* continueParts(tx: Pick<Tx, 'wake'>, known: Row, again: NewSend): Steps<void> {
  const later = yield* laterParts(known)
  const from = later.findIndex((part) => part.state !== 'accepted')
  const failed = later[from]
  if (known.state !== 'accepted' || !failed || !isSurelyNotSent(failed.state)) return
  const unsent = later.slice(from).filter(({ state }) => isSurelyNotSent(state))
  yield* restart(tx, unsent, again)
}

/** Lets the held parts behind a part that has ended enter their lane again; with `ended`, the skipped ones too. */
export function* resumeLaterParts(
  tx: Pick<Tx, 'wake'>,
  row: Pick<Row, 'part_of' | 'part'>,
  { ended = false } = {},
): Steps<boolean> {
  const later = (yield* laterParts(row)).filter((part) => followsPart(part) && (ended || part.state === 'held'))
  yield* restart(tx, later)
  return later.length > 0
}

/** Lets parts enter their lane again. `again`: the repeated request, which may have another deadline. */
export function* restart(tx: Pick<Tx, 'wake'>, parts: readonly Row[], again?: NewSend): Steps<void> {
  for (const { seq, lane, expires_at } of parts) {
    yield* execute(sql`
      UPDATE ${sends} SET state = 'ready', via = 'freeform', code = NULL, reason = NULL, settled_at = NULL, attempts = 0,
        first_attempt_at = NULL, attempting_since = NULL, followed = 1, awaited_until = ${again?.awaitedUntil},
        expires_at = ${again ? again.expiresAt : expires_at}
      WHERE seq = ${seq}`)
    yield* enterLane('sends', seq, lane, AT_ONCE)
  }
  if (parts.length > 0) tx.wake('sends')
}
