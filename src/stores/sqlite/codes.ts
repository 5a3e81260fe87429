import type { Fence, NewSend, OpenedCode, SendSettlement } from '../port/index.ts'
import { AT_ONCE } from '../rules/lanes.ts'
import { type EarlierCode, openingOfCode } from '../rules/sends.ts'
import type { Tx } from './group-commit.ts'
import { holdsLane, takeLane } from './lanes.ts'
import { presentSend } from './send-rows.ts'
import { writeSettlement } from './write-settlement.ts'

const EARLIER =
  'SELECT id, state, customer FROM sends WHERE cause = ? AND slot = ? AND number = ? AND withheld = 1 ORDER BY seq'
const INSERT = `
  INSERT INTO sends
    (id, key, number, customer, lane, cause, slot, ref, state, via, body, next_at, created_at, expires_at, withheld)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'ready', 'template', ?, ?, ?, ?, 1)`

/** Records a one-time code: see `Store.openCode`. */
export function openCode(
  tx: Tx,
  send: NewSend,
  keys: readonly string[],
  lease: { owner: string; until: number; now: number },
): OpenedCode {
  loseCodes(tx, lease.now)
  const earlier = tx.sql(EARLIER).all(send.cause, send.slot, send.number) as EarlierCode[]
  const opening = openingOfCode(send.customer, earlier, keys.length)
  if (opening.found === 'known') return { found: 'known', send: presentSend(tx.sql, opening.id) }
  if (opening.found === 'used_up') return opening
  tx.sql(INSERT).run(
    send.id,
    keys[opening.generation],
    send.number,
    send.customer,
    send.lane,
    send.cause,
    send.slot,
    send.ref ?? null,
    send.body,
    AT_ONCE,
    send.createdAt,
    send.expiresAt ?? null,
  )
  const fence: Fence = takeLane(tx, send.lane, 'code', lease)
  return { found: 'new', send: presentSend(tx.sql, send.id), fence }
}

const EXPIRED = "SELECT key FROM lanes WHERE kind = 'code' AND ready_at <= ?"
const LOSE = `
  UPDATE sends SET state = 'lost_code', settled_at = ?, reason = 'the process that had this code in its memory is gone'
  WHERE lane = ? AND settled_at IS NULL`
const REMOVE = 'DELETE FROM lanes WHERE key = ?'

/** Settles codes whose process no longer renews its hold on them: they were in its memory alone. */
export function loseCodes(tx: Tx, now: number): void {
  for (const { key } of tx.sql(EXPIRED).all(now) as { key: string }[]) {
    tx.sql(LOSE).run(now, key)
    tx.sql(REMOVE).run(key)
  }
}

/** Settles an attempt at a code: see `Store.settleCode`. */
export function settleCode(tx: Tx, fence: Fence, send: string, settlement: SendSettlement, now: number): boolean {
  if (!holdsLane(tx, fence)) return false
  writeSettlement(tx, send, settlement, now)
  const { settledAt } = presentSend(tx.sql, send)
  if (settledAt !== undefined) tx.sql(REMOVE).run(fence.lane)
  return true
}
