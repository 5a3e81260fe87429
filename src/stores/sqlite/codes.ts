import {
  type Fence,
  isGoingOut,
  type NewSend,
  type OpenedCode,
  type SendSettlement,
  type SendState,
} from '../port/index.ts'
import type { Tx } from './group-commit.ts'
import { AT_ONCE, holdsLane, takeLane } from './lanes.ts'
import { presentSend } from './send-rows.ts'
import { writeSettlement } from './write-settlement.ts'

const EARLIER =
  'SELECT id, state, customer FROM sends WHERE cause = ? AND slot = ? AND number = ? AND withheld = 1 ORDER BY seq'
const INSERT = `
  INSERT INTO sends
    (id, key, number, customer, lane, cause, slot, ref, state, via, body, next_at, created_at, expires_at, withheld)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'ready', 'template', ?, ?, ?, ?, 1)`

/** See `Store.openCode`. */
export function openCode(
  tx: Tx,
  send: NewSend,
  keys: readonly string[],
  lease: { owner: string; until: number; now: number },
): OpenedCode {
  loseCodes(tx, lease.now)
  const earlier = tx.sql(EARLIER).all(send.cause, send.slot, send.number) as Earlier[]
  const latest = earlier.at(-1)
  // A key is about one customer: whoever uses it for another gets nothing sent.
  if (latest && (isGoingOut(latest.state) || latest.state === 'accepted' || latest.customer !== send.customer))
    return { found: 'known', send: presentSend(tx.sql, latest.id) }
  const key = keys[earlier.length]
  if (key === undefined) return { found: 'used_up' }
  tx.sql(INSERT).run(
    send.id,
    key,
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

interface Earlier {
  readonly id: string
  readonly state: SendState
  readonly customer: string
}

const GONE = "SELECT key FROM lanes WHERE kind = 'code' AND ready_at <= ?"
const LOSE = `
  UPDATE sends SET state = 'lost_code', settled_at = ?, reason = 'the process that had this code in its memory is gone'
  WHERE lane = ? AND settled_at IS NULL`
const REMOVE = 'DELETE FROM lanes WHERE key = ?'

/** Codes whose process no longer renews its hold on them: they were in its memory alone. */
export function loseCodes(tx: Tx, now: number): void {
  for (const { key } of tx.sql(GONE).all(now) as { key: string }[]) {
    tx.sql(LOSE).run(now, key)
    tx.sql(REMOVE).run(key)
  }
}

/** See `Store.settleCode`. */
export function settleCode(tx: Tx, fence: Fence, send: string, settlement: SendSettlement, now: number): boolean {
  if (!holdsLane(tx, fence)) return false
  writeSettlement(tx, send, settlement, now)
  const { settledAt } = presentSend(tx.sql, send)
  if (settledAt !== undefined) tx.sql(REMOVE).run(fence.lane)
  return true
}
