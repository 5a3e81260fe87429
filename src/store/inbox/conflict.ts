import { sql } from '../statements/sql.ts'
import { grouped, pick } from '../statements/statements.ts'
import { execute, exists, type Steps, together } from '../steps.ts'
import { inbox } from '../tables/inbox-tables.ts'
import type { IngestOutcome } from './acceptance.ts'
import type { NewItem } from '../work/items.ts'

const CLAIMED_BY_FIRST = grouped(
  pick(inbox, 'id', 'number', 'identity', 'claimant'),
  ({ id, number, identity, claimant }) => sql`
    SELECT 1 AS claimed FROM ${inbox} d JOIN ${inbox} i ON i.id = d.first OR i.delivery = d.first
    WHERE d.id = ${id} AND i.number = ${number} AND i.identity = ${identity} AND i.claimant = ${claimant} LIMIT 1`,
)

const NONE = { key: undefined, claimant: undefined }

/** Compares a conflict with the first delivery under its id. Both may be the same messages in other bytes. */
export function* compareWithFirst(seq: number, items: readonly NewItem[]): Steps<IngestOutcome[]> {
  const claimed = yield* together<boolean[]>(
    ...items.map(
      ({ number, identity: { key: identity, claimant } = NONE }) =>
        () =>
          exists(CLAIMED_BY_FIRST({ id: seq, number, identity, claimant })),
    ),
  )
  if (claimed.length === 0 || claimed.includes(false)) return [{ idx: 0, identity: 'conflict' }]
  yield* execute(sql`
    UPDATE ${inbox} SET mark = 'rendered_anew', note = 'the same message as the first one under this id, in other bytes'
    WHERE id = ${seq}`)
  return []
}
