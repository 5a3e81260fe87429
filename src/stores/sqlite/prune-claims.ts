import type { Pruning } from '../port/index.ts'
import type { Tx } from './group-commit.ts'
import { ofDelivery } from './item-ids.ts'

/** An identity stays claimed for this long, however soon its delivery's row goes. */
const CLAIMED_FOR_MS = 30 * 86_400_000

const LEAVE = `
  INSERT INTO claims_left (claimed_at, number, identity)
  SELECT c.claimed_at, c.number, c.identity FROM items i
    JOIN identities c ON c.number = i.number AND c.identity = i.identity AND c.seq = i.seq
  WHERE ${ofDelivery('i.id', '?')}
  ON CONFLICT DO NOTHING`

/** Notes the claims of a delivery that goes: they outlive it, and nothing else tells when their time has come. */
export function releaseClaims(tx: Tx, seq: number): void {
  tx.sql(LEAVE).run(seq, seq)
}

const EXPIRED = 'SELECT number, identity FROM claims_left WHERE claimed_at < ? ORDER BY claimed_at LIMIT ?'
const FREE = 'DELETE FROM identities WHERE number = ? AND identity = ?'
const DONE = 'DELETE FROM claims_left WHERE claimed_at < ? AND number = ? AND identity = ?'

/** Frees identities that were claimed long enough ago, and says whether there may be more. */
export function pruneClaims(tx: Tx, { idsBefore, now, limit }: Pruning): boolean {
  const before = Math.min(idsBefore, now - CLAIMED_FOR_MS)
  const expired = tx.sql(EXPIRED).all(before, limit) as { number: string; identity: string }[]
  for (const { number, identity } of expired) {
    tx.sql(FREE).run(number, identity)
    tx.sql(DONE).run(before, number, identity)
  }
  return expired.length === limit
}
