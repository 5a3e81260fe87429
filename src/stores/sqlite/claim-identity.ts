import type { Identity } from '../port/index.ts'
import type { Tx } from './group-commit.ts'
import { ofDelivery } from './item-ids.ts'

const CLAIM = `
  INSERT INTO identities (number, identity, binding, seq, claimed_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
const CLAIMED = 'SELECT binding, seq FROM identities WHERE number = ? AND identity = ?'

/** An identity is claimed once, by who comes first; another binding means another message under the same id. */
export function claimIdentity(
  tx: Tx,
  number: string,
  identity: Identity,
  seq: number,
  now: number,
): 'free' | 'same_message' | 'reused' {
  if (tx.sql(CLAIM).run(number, identity.key, identity.binding, seq, now).changes > 0) return 'free'
  const first = tx.sql(CLAIMED).get(number, identity.key) as { binding: string; seq: number }
  if (first.seq === seq && !isHeld(tx, number, identity, seq)) return reclaim(tx, number, identity)
  return first.binding === identity.binding ? 'same_message' : 'reused'
}

const HELD = `
  SELECT 1 FROM items WHERE ${ofDelivery('items.id', '?')} AND number = ? AND identity = ? AND state <> 'same_message'`

/** Whether an item of this very delivery goes by the identity already. */
function isHeld(tx: Tx, number: string, identity: Identity, seq: number): boolean {
  return tx.sql(HELD).get(seq, seq, number, identity.key) !== undefined
}

const BIND = 'UPDATE identities SET binding = ? WHERE number = ? AND identity = ?'

/** Sorted again, the delivery's own claim serves it; a mended mapping may have found what it is bound to. */
function reclaim(tx: Tx, number: string, identity: Identity): 'free' {
  tx.sql(BIND).run(identity.binding, number, identity.key)
  return 'free'
}
