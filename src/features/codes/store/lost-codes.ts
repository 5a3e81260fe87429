import { reportIfFailed } from '../../../store/outbox/failed-sends.ts'
import { sql } from '../../../store/database/sql.ts'
import { all, type Steps, type Tx } from '../../../store/database/steps.ts'
import { sends } from '../../../store/database/outbox-tables.ts'
import type { Claim } from '../../../store/work/lanes.ts'

/** Ends the codes that were only in the memory of a process that is dead. */
export function* loseCodes(tx: Tx, process: number, { now, tells }: Pick<Claim, 'now' | 'tells'>): Steps<void> {
  const lost = yield* all<{ id: string }>(sql`
    UPDATE ${sends} SET state = 'lost_code', place = NULL, owner = NULL, settled_at = ${now},
      reason = 'the process that had this code in its memory is gone'
    WHERE place < 2 AND place = 1 AND owner = ${process} AND withheld = 1 RETURNING id`)
  if (tells) for (const { id } of lost) yield* reportIfFailed(tx, id, now)
}
