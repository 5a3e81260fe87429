import type { Begun, Delivery, Mark, NewItem, Stored } from '../types.ts'
import type { Prepare } from './connection.ts'
import type { Lanes } from './lanes.ts'
import type { Tx } from './transaction.ts'

type Holder = { readonly id: number; readonly binding: Buffer | null }
type Keys = { readonly of: number | null; readonly signed: boolean; readonly mark: Mark | null }

const FIRST: Keys = { of: null, signed: true, mark: null }

/** The steps that put a delivery into the inbox. Its unique keys decide, within the insert, whether it is new. */
export function deliveriesOf(prepare: Prepare, lanes: Lanes) {
  const insert = prepare(`
    INSERT INTO inbox (id, of, ordinal, subscription, delivery_id, timestamp, digest, event, received_at, clock_offset, trace,
      lane, number, customer, kind, at, identity, binding, cause, mark)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`)
  const content = prepare('INSERT INTO contents (id, facts, body) VALUES (?, ?, ?)')
  const byId = prepare<{ id: number; digest: Buffer }>(
    'SELECT id, digest FROM inbox WHERE subscription = ? AND delivery_id = ?',
  )
  const bySigned = prepare<{ id: number }>(
    'SELECT id FROM inbox WHERE subscription = ? AND timestamp = ? AND digest = ?',
  )
  const byIdentity = prepare<Holder>('SELECT id, binding FROM inbox WHERE number = ? AND identity = ?')
  const customer = prepare<{ last_at: number | null }>(
    'SELECT last_at FROM customers WHERE number = ? AND customer = ?',
  )
  // A message that runs at once leaves the time of the last handled one, for `late`: no write at its settlement.
  const moved = prepare(`
    INSERT INTO customers (number, customer, last_at, moved_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (number, customer) DO UPDATE SET last_at = max(coalesce(last_at, 0), excluded.last_at),
      moved_at = excluded.moved_at, handled_at = iif(?, last_at, handled_at)`)

  function insertRow(id: number, d: Delivery, item: NewItem, ordinal: number, keys: Keys) {
    const signed = keys.signed && ordinal === 0
    // Without its keys, a conflict differs from the others of its delivery by its digest alone.
    const digest = ordinal === 0 ? d.digest : null
    const { identity, cause, customer } = item
    const keyed = signed ? [d.subscription, d.deliveryId, d.timestamp] : [null, null, null]
    const delivered = [digest, d.event, d.receivedAt, d.clockOffset, d.trace ?? null]
    const place = [item.lane, item.number, customer ?? null, item.kind, item.at]
    const known = [identity?.key ?? null, identity?.binding ?? null, cause ?? null, keys.mark]
    const { changes } = insert.run(id, keys.of, ordinal, ...keyed, ...delivered, ...place, ...known)
    if (changes === 1) content.run(id, item.facts, ordinal === 0 ? d.body : null)
    return changes === 1
  }

  function enter(tx: Tx, id: number, item: NewItem, begins: boolean): Begun | undefined {
    const { lane, number, at } = item
    const isMessage = item.kind === 'message' && item.customer !== undefined
    const last = isMessage ? customer.get(number, item.customer)?.last_at : undefined
    const entered = lanes.enter(tx, { item: id, lane, number, what: 'item', at }, begins)
    if (isMessage) moved.run(number, item.customer, at, tx.now, entered === 'behind' ? 0 : 1)
    if (typeof entered === 'string') return undefined
    return { fence: entered, attempts: 1, wasRunning: false, late: (last ?? at) > at }
  }

  /** An item whose identity may be another's: the same message is kept and not handled. */
  function addItem(tx: Tx, d: Delivery, item: NewItem, ordinal: number, first: number, begins: boolean) {
    const id = ordinal === 0 ? first : tx.nextId()
    const keys = ordinal === 0 ? FIRST : { ...FIRST, of: first }
    if (insertRow(id, d, item, ordinal, keys)) return { mark: undefined, begun: enter(tx, id, item, begins) }
    const holder = item.identity && byIdentity.get(item.number, item.identity.key)
    if (!holder) throw new Error('an item conflicts, but not by its identity')
    if (isSame(holder, item)) {
      insertWithoutIdentity(id, d, item, ordinal, {
        ...keys,
        of: ordinal === 0 ? holder.id : first,
        mark: 'same_message',
      })
      return { mark: 'same_message' as const, begun: undefined }
    }
    insertWithoutIdentity(id, d, item, ordinal, { ...keys, mark: 'identity_reused' })
    return { mark: 'identity_reused' as const, begun: enter(tx, id, item, begins) }
  }

  function insertWithoutIdentity(id: number, d: Delivery, item: NewItem, ordinal: number, keys: Keys): boolean {
    const { identity: _, ...rest } = item
    return insertRow(id, d, rest, ordinal, keys)
  }

  /** The known delivery's id with other bytes: each digest is kept once and waits for a person. */
  function conflict(tx: Tx, d: Delivery, item: NewItem, of: number): Stored {
    const holder = item.identity && byIdentity.get(item.number, item.identity.key)
    // The service rendered the same message again.
    if (holder?.id === of && isSame(holder, item)) return { as: 'duplicate', of }
    const id = tx.nextId()
    if (!insertWithoutIdentity(id, d, item, 0, { of, signed: false, mark: 'conflict' })) return { as: 'duplicate', of }
    lanes.setAside(tx, { item: id, lane: item.lane, number: item.number, what: 'item', at: item.at })
    return { as: 'stored', id, mark: 'conflict', begun: [] }
  }

  return {
    /**
     * Stores a delivery with its items, of which there is at least one. The first item of an idle lane begins in the same
     * commit if `begins`. A known id or known signed bytes store nothing.
     */
    store(tx: Tx, d: Delivery, items: readonly [NewItem, ...NewItem[]], begins: boolean): Stored {
      const known = byId.get(d.subscription, d.deliveryId)
      if (known)
        return known.digest.equals(d.digest) ? { as: 'duplicate', of: known.id } : conflict(tx, d, items[0], known.id)
      const signed = bySigned.get(d.subscription, d.timestamp, d.digest)
      if (signed) return { as: 'suspected_replay', of: signed.id }
      const id = tx.nextId()
      const added = items.map((item, ordinal) => addItem(tx, d, item, ordinal, id, begins))
      const mark = added.find((one) => one.mark !== undefined)?.mark
      const begun = added.flatMap((one) => one.begun ?? [])
      return { as: 'stored', id, ...(mark && { mark }), begun }
    },
  }
}

function isSame(holder: Holder, item: NewItem): boolean {
  return item.identity !== undefined && holder.binding !== null && holder.binding.equals(item.identity.binding)
}
