import type { Acceptance, NewDelivery } from '../port/index.ts'
import { addContent } from './contents.ts'
import type { Tx } from './group-commit.ts'
import { isGenuine } from './event-name-spoofing.ts'
import { leaveToSort } from './pending.ts'

/** A delivery that came before. */
interface Known {
  readonly seq: number
  /** The first of those that resemble each other. */
  readonly root: number
  readonly digest: Buffer
  readonly delivery_id: string | null
  readonly event: string | null
  readonly own_event: string | null
  readonly state: string
}

/** Stores one delivery: see `Store.accept`. The keys decide, in this very transaction. */
export function accept(tx: Tx, delivery: NewDelivery): Acceptance {
  if (delivery.stale) return keepStale(tx, delivery)
  const sameId = delivery.unclear === undefined ? findById(tx, delivery) : undefined
  const sameBytes = sameId?.digest.equals(delivery.digest) === true
  if (sameId && sameBytes && sameId.event === (delivery.event ?? null)) return repeated(tx, sameId.seq)

  const sameMaterial = findBySignature(tx, delivery)
  if (delivery.unclear === undefined && (!sameId || sameBytes)) {
    const misnamed = [sameMaterial, sameId].find((first) => isGenuine(tx, delivery.event, first))
    if (misnamed) return store(tx, delivery, 'stored', misnamed)
  }
  if (sameMaterial && !isReplaceable(sameMaterial) && !delivery.dispatchIdentical)
    return resembles(tx, delivery, sameMaterial, wasNeverHandled(sameMaterial) ? 'conflict' : 'suspected_replay')
  if (sameMaterial && delivery.unclear !== undefined) return repeated(tx, sameMaterial.seq)
  if (sameId) return resembles(tx, delivery, sameId, sameBytes ? 'suspected_replay' : 'conflict')
  const identical = sameMaterial && !isReplaceable(sameMaterial) ? sameMaterial : undefined
  return store(tx, delivery, delivery.unclear === undefined ? 'stored' : 'quarantined', identical)
}

/**
 * A delivery that was quarantined for its headers was never handled, and its headers are not signed: it must not keep
 * the genuine one, with the same signed bytes, from being handled. Nor must one that came while our clock was wrong.
 */
function isReplaceable(first: Known): boolean {
  return (
    first.state === 'stale' || (first.state === 'quarantined' && (first.event === null || first.delivery_id === null))
  )
}

/**
 * Nobody listened for the name under which these bytes came first, and that name is not signed either: so which of
 * the two is true is for a person to say, who can retry both; unless the bytes say it themselves.
 */
function wasNeverHandled(first: Known): boolean {
  return first.state === 'ignored' && first.own_event === null
}

const BY_ID = 'SELECT seq FROM delivery_ids WHERE subscription = ? AND delivery_id = ?'
const BY_SIGNATURE = 'SELECT seq FROM signed WHERE subscription = ? AND timestamp = ? AND digest = ?'
const KNOWN =
  'SELECT seq, coalesce(of_seq, seq) AS root, digest, delivery_id, event, own_event, state FROM deliveries WHERE seq = ?'

function findById(tx: Tx, { subscription, deliveryId }: NewDelivery): Known | undefined {
  return known(tx, tx.sql(BY_ID).get(subscription, deliveryId))
}

function findBySignature(tx: Tx, { subscription, timestamp, digest }: NewDelivery): Known | undefined {
  return known(tx, tx.sql(BY_SIGNATURE).get(subscription, timestamp, digest))
}

function known(tx: Tx, found: unknown): Known | undefined {
  return found === undefined ? undefined : (tx.sql(KNOWN).get((found as { seq: number }).seq) as Known | undefined)
}

const REPEAT = 'UPDATE deliveries SET repeats = repeats + 1 WHERE seq = ?'

/** The service told it again. An unsettled one is woken by that: perhaps nobody is at work on it. */
function repeated(tx: Tx, seq: number): Acceptance {
  tx.sql(REPEAT).run(seq)
  tx.wake('items')
  return 'duplicate'
}

/** Once per signed material, and only where nothing has it: a late replay must not loosen what was handled. */
function keepStale(tx: Tx, delivery: NewDelivery): Acceptance {
  const known = findBySignature(tx, delivery)
  if (known) tx.sql(REPEAT).run(known.seq)
  else store(tx, delivery, 'stale')
  return 'stale'
}

// The unique index over what resembles says which one is told again.
const RESEMBLED = `
  UPDATE deliveries SET repeats = repeats + 1
  WHERE of_seq = ? AND digest = ? AND coalesce(event, '') = coalesce(?, '') AND state = ?`

/** Kept and shown, never dispatched by itself; one row per signed bytes and event name, with a counter (SIG-07). */
function resembles(tx: Tx, delivery: NewDelivery, first: Known, state: 'suspected_replay' | 'conflict'): Acceptance {
  const note = state === 'conflict' ? 'this id came before with other signed bytes' : 'these signed bytes came before'
  if (tx.sql(RESEMBLED).run(first.root, delivery.digest, delivery.event ?? null, state).changes > 0) return state
  const seq = insert(tx, delivery, state, first.root, note)
  // Whether a conflict says the same as the first one is for the sort to see, which can read it.
  if (state === 'conflict') leaveToSort(tx, seq)
  return state
}

const INSERT = `
  INSERT INTO deliveries
    (seq, body_place, subscription, delivery_id, event, timestamp, digest, received_at, clock_offset, state, of_seq, note)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
// An id that is taken was so by the same bytes under a name that is not theirs.
const INSERT_ID = `
  INSERT INTO delivery_ids (subscription, delivery_id, seq) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET seq = excluded.seq`
const INSERT_SIGNED = `
  INSERT INTO signed (subscription, timestamp, digest, seq) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET seq = excluded.seq`

/** `identical`: what came before with the same signed bytes, and so has the same cause; they share their sends. */
function store(
  tx: Tx,
  delivery: NewDelivery,
  state: 'stored' | 'quarantined' | 'stale',
  identical?: Known,
): Acceptance {
  const seq = insert(tx, delivery, state, identical?.root, delivery.unclear)
  const { subscription, deliveryId, timestamp, digest } = delivery
  if (state === 'stored') tx.sql(INSERT_ID).run(subscription, deliveryId, seq)
  tx.sql(INSERT_SIGNED).run(subscription, timestamp, digest, seq)
  if (state === 'stored') leaveToSort(tx, seq)
  return state
}

function insert(tx: Tx, delivery: NewDelivery, state: string, ofSeq?: number, note?: string): number {
  const seq = addContent(tx, null, delivery.body)
  tx.sql(INSERT).run(
    seq,
    seq,
    delivery.subscription,
    delivery.deliveryId ?? null,
    delivery.event ?? null,
    delivery.timestamp,
    delivery.digest,
    delivery.receivedAt,
    delivery.clockOffset,
    state,
    ofSeq ?? null,
    note ?? null,
  )
  return seq
}
