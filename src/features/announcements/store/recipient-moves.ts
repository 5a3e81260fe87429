import { APP_CAUSE } from '../../../store/outbox/send-rules.ts'
import { type Query, sql } from '../../../store/database/sql.ts'
import { allAs, execute, exists, type Steps } from '../../../store/database/steps.ts'
import type { AnyRow, Move } from '../../../store/database/store-effects.ts'
import { sends } from '../../../store/database/outbox-tables.ts'
import { announcements, recipients } from './announcement-tables.ts'
import { slotOfRecipient } from './slots.ts'

/** Gives a recipient's row to the customer `to`. If both have one, the row later in `RANKS` stays. */
export function* moveRecipient(...[found, { number, customer }, to, { keyOf }]: Parameters<Move>): Steps<void> {
  const { announcement: id } = found
  const of = (whose: string) => sql`announcement = ${id} AND customer = ${whose}`
  const change = (changed: Query) => execute(sql`UPDATE ${announcements} SET ${changed} WHERE id = ${id}`)
  const slot = slotOfRecipient(String(found['name']), customer, Number(found['resends']))
  const isUnderWay = yield* exists(sql`SELECT 1 FROM ${sends} WHERE key = ${keyOf(number, APP_CAUSE, slot)}`)
  const row = found['state'] === 'waiting' && isUnderWay ? { ...found, state: 'unknown' } : found
  if (row !== found) {
    yield* execute(sql`UPDATE ${recipients} SET state = 'unknown' WHERE ${of(customer)}`)
    yield* change(sql`unknown = unknown + 1`)
  }
  const [other] = yield* allAs<AnyRow>(sql`SELECT state FROM ${recipients} WHERE ${of(to)}`)
  if (other) {
    const gone = rankOf(other) < rankOf(row) ? { whose: to, row: other } : { whose: customer, row }
    yield* execute(sql`DELETE FROM ${recipients} WHERE ${of(gone.whose)}`)
    yield* change(sql`total = total - 1 ${COUNTED[String(gone.row['state'])] ?? sql``}`)
  }
  yield* execute(sql`
    UPDATE ${recipients} SET customer = ${to}, given = coalesce(given, ${customer}) WHERE ${of(customer)}`)
  yield* change(sql`blamed = CASE WHEN blamed = ${customer} THEN ${to} ELSE blamed END,
    probed = CASE WHEN probed = ${customer} THEN ${to} ELSE probed END`)
}

/** Recipients who may have the message rank highest, so that they do not get it again. */
const RANKS: readonly (readonly string[])[] = [
  ['waiting'],
  ['opted_out'],
  ['unknown'],
  ['sent', 'delivered', 'read', 'failed'],
]

function rankOf({ state }: AnyRow): number {
  return RANKS.findIndex((states) => states.includes(String(state)))
}

const SENT = sql`, sent = sent - 1`

const COUNTED: Readonly<Record<string, Query>> = {
  sent: SENT,
  delivered: SENT,
  read: SENT,
  failed: SENT,
  refused: sql`, refused = refused - 1`,
  invalid: sql`, invalid = invalid - 1`,
  opted_out: sql`, opted_out = opted_out - 1`,
  silent: sql`, silent = silent - 1`,
  unknown: sql`, unknown = unknown - 1`,
}
