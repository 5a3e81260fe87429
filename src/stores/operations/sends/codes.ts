import type { NewSend, OpenedCode } from '../../port/index.ts'
import { type EarlierCode, openingOfCode } from '../../rules/sends.ts'
import { makeHeldLane } from '../lanes/lanes.ts'
import { all, one, run, sql, type Steps, type Tx } from '../steps.ts'
import { insertSend, newRow } from './record-send.ts'
import { presentSend, sendOf } from './sends.ts'
import { tellIfFailed } from './tell-failed.ts'

/** Records a one-time code: see `Store.openCode`. */
export function* openCode(
  tx: Tx,
  send: NewSend,
  keys: readonly string[],
  lease: { owner: string; until: number; now: number; tells?: boolean },
): Steps<OpenedCode> {
  yield* loseCodes(tx, lease)
  const earlier = yield* all<EarlierCode>(sql`
    SELECT id, state, customer FROM sends
    WHERE cause = ${send.cause} AND slot = ${send.slot} AND number = ${send.number} AND withheld = 1 ORDER BY seq`)
  const opening = openingOfCode(send.customer, earlier, keys.length)
  if (opening.found === 'known') return { found: 'known', send: yield* presentSend(opening.id) }
  if (opening.found === 'used_up') return opening
  const row = { ...newRow(send, { state: 'ready' }), key: keys[opening.generation] as string, withheld: 1 }
  yield* insertSend(row)
  return {
    found: 'new',
    send: sendOf(row, undefined),
    fence: yield* makeHeldLane(send.lane, 'code', { ...lease, until: lease.until + tx.waitedMs }),
  }
}

/** The lane is that of a one-time code. Its key does not tell: a number may be called `code`. */
export function* isCode(lane: string): Steps<boolean> {
  return (yield* one(sql`SELECT 1 FROM lanes WHERE key = ${lane} AND kind = 'code'`)) !== undefined
}

/** Settles codes whose process no longer renews its hold on them: they were in its memory alone. */
export function* loseCodes(tx: Tx, { now, tells = false }: { now: number; tells?: boolean }): Steps<void> {
  const expired = yield* all<{ key: string }>(sql`SELECT key FROM lanes WHERE kind = 'code' AND ready_at <= ${now}`)
  for (const { key } of expired) {
    const lost = yield* all<{ id: string }>(sql`
      UPDATE sends SET state = 'lost_code', settled_at = ${now},
        reason = 'the process that had this code in its memory is gone'
      WHERE lane = ${key} AND settled_at IS NULL RETURNING id`)
    if (tells) for (const { id } of lost) yield* tellIfFailed(tx, id, now)
    yield* run(sql`DELETE FROM lanes WHERE key = ${key}`)
  }
}
