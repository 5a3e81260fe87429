import type { Acceptance, NewDelivery } from '../port/index.ts'
import type { Tx } from './group-commit.ts'

interface Known {
  seq: number
  digest: Buffer
  event: string | null
  state: string
}

/** Stores one delivery: see `Store.accept`. The keys decide, in this very transaction. */
export function accept(tx: Tx, delivery: NewDelivery): Acceptance {
  const sameId = delivery.deliveryId === undefined ? undefined : findById(tx, delivery)
  const sameBytes = sameId?.digest.equals(delivery.digest) && sameId.event === (delivery.event ?? null)
  if (sameId && sameBytes) return repeated(tx, sameId.seq)

  const sameMaterial = findBySignature(tx, delivery)
  if (sameMaterial && !isReplaceable(sameMaterial)) return resembles(tx, delivery, sameMaterial, 'suspected_replay')
  if (sameId)
    return resembles(tx, delivery, sameId, sameId.digest.equals(delivery.digest) ? 'suspected_replay' : 'conflict')
  return store(tx, delivery)
}

/**
 * A delivery that was quarantined for its headers was never handled, and its headers are not signed: it must
 * not keep the genuine one, with the same signed bytes, from being handled.
 */
function isReplaceable(first: Known): boolean {
  return first.state === 'quarantined' && first.event === null
}

const BY_ID = `
  SELECT k.seq, k.digest, d.event, d.state FROM delivery_ids k JOIN deliveries d ON d.seq = k.seq
  WHERE k.subscription = ? AND k.delivery_id = ?`

function findById(tx: Tx, delivery: NewDelivery): Known | undefined {
  return tx.sql(BY_ID).get(delivery.subscription, delivery.deliveryId) as Known | undefined
}

const BY_SIGNATURE = `
  SELECT s.seq, s.digest, d.event, d.state FROM signed s JOIN deliveries d ON d.seq = s.seq
  WHERE s.subscription = ? AND s.timestamp = ? AND s.digest = ?`

function findBySignature(tx: Tx, delivery: NewDelivery): Known | undefined {
  return tx.sql(BY_SIGNATURE).get(delivery.subscription, delivery.timestamp, delivery.digest) as Known | undefined
}

const REPEAT = 'UPDATE deliveries SET repeats = repeats + 1 WHERE seq = ?'

/** The service told it again. An unsettled one is woken by that: perhaps nobody is at work on it. */
function repeated(tx: Tx, seq: number): Acceptance {
  tx.sql(REPEAT).run(seq)
  tx.wake()
  return 'duplicate'
}

const RESEMBLE = `
  INSERT INTO deliveries
    (subscription, delivery_id, event, timestamp, digest, body, received_at, clock_offset, state, of_seq, sorted_at, note)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET repeats = repeats + 1`

/** Kept and shown, never dispatched by itself; one row per signed bytes and event name, with a counter (SIG-07). */
function resembles(tx: Tx, delivery: NewDelivery, first: Known, state: 'suspected_replay' | 'conflict'): Acceptance {
  const note = state === 'conflict' ? 'this id came before with other signed bytes' : 'these signed bytes came before'
  tx.sql(RESEMBLE).run(...columns(delivery), state, first.seq, delivery.receivedAt, note)
  return state
}

const INSERT = `
  INSERT INTO deliveries
    (subscription, delivery_id, event, timestamp, digest, body, received_at, clock_offset, state, note)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const INSERT_ID = 'INSERT INTO delivery_ids (subscription, delivery_id, digest, seq) VALUES (?, ?, ?, ?)'
const INSERT_SIGNED = `
  INSERT INTO signed (subscription, timestamp, digest, event, seq) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET event = excluded.event, seq = excluded.seq`

function store(tx: Tx, delivery: NewDelivery): Acceptance {
  const state = delivery.unclear === undefined ? 'stored' : 'quarantined'
  const { lastInsertRowid } = tx.sql(INSERT).run(...columns(delivery), state, delivery.unclear ?? null)
  const { subscription, deliveryId, timestamp, digest, event } = delivery
  if (deliveryId !== undefined) tx.sql(INSERT_ID).run(subscription, deliveryId, digest, lastInsertRowid)
  tx.sql(INSERT_SIGNED).run(subscription, timestamp, digest, event ?? null, lastInsertRowid)
  if (state === 'stored') tx.wake()
  return state
}

function columns(delivery: NewDelivery): unknown[] {
  return [
    delivery.subscription,
    delivery.deliveryId ?? null,
    delivery.event ?? null,
    delivery.timestamp,
    delivery.digest,
    delivery.body,
    delivery.receivedAt,
    delivery.clockOffset,
  ]
}
