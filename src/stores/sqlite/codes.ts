import type { Fence, NewSend, OpenedCode, SendSettlement } from '../port/index.ts'
import type { Tx } from './group-commit.ts'
import { AT_ONCE, holdsLane, takeLane } from './lanes.ts'
import { sendById } from './send-rows.ts'
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
  if (latest && (isOpen(latest.state) || latest.state === 'accepted' || latest.customer !== send.customer))
    return { found: 'known', send: known(tx, latest.id) }
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
  return { found: 'new', send: known(tx, send.id), fence }
}

interface Earlier {
  readonly id: string
  readonly state: string
  readonly customer: string
}

function isOpen(state: string): boolean {
  return state === 'ready' || state === 'attempting'
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
  const { settledAt } = known(tx, send)
  if (settledAt !== undefined) tx.sql(REMOVE).run(fence.lane)
  return true
}

function known(tx: Tx, id: string) {
  const send = sendById(tx.sql, id)
  if (!send) throw new Error(`send ${id} vanished within its own transaction`)
  return send
}
