import type { Identity } from '../port/index.ts'
import { type ClaimOutcome, judgeClaim } from '../rules/ingest.ts'
import type { Tx } from './group-commit.ts'
import { ofDelivery } from './item-ids.ts'

const CLAIM = `
  INSERT INTO identities (number, identity, binding, seq, claimed_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
const CLAIMED = 'SELECT binding, seq FROM identities WHERE number = ? AND identity = ?'
const IN_USE = `
  SELECT 1 FROM items WHERE ${ofDelivery('items.id', '?')} AND number = ? AND identity = ? AND state <> 'same_message'`
const BIND = 'UPDATE identities SET binding = ? WHERE number = ? AND identity = ?'

/** Claims an identity for a delivery. The insert itself decides the ordinary case, the rule `judgeClaim` any other. */
export function claimIdentity(tx: Tx, number: string, identity: Identity, seq: number, now: number): ClaimOutcome {
  if (tx.sql(CLAIM).run(number, identity.key, identity.binding, seq, now).changes > 0)
    return judgeClaim(identity, undefined)
  const claimed = tx.sql(CLAIMED).get(number, identity.key) as { binding: string; seq: number }
  const isOwn = claimed.seq === seq
  const isInUse = isOwn && tx.sql(IN_USE).get(seq, seq, number, identity.key) !== undefined
  const outcome = judgeClaim(identity, { binding: claimed.binding, isOwn, isInUse })
  // Ingested again, the delivery's own claim serves it; a mended mapping may have found another binding.
  if (outcome === 'free') tx.sql(BIND).run(identity.binding, number, identity.key)
  return outcome
}
