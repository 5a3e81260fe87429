import type { Acceptance, DeliveryState, NewDelivery } from '../port/index.ts'
import { earlierSpoofs, isRepeat, judgeDelivery, type KnownDelivery, type Verdict } from '../rules/acceptance.ts'
import { addContent } from './contents.ts'
import { wasDispatchedUnder } from './event-name-spoofing.ts'
import type { Tx } from './group-commit.ts'
import { leavePending } from './pending.ts'

/** Stores one delivery: see `Store.accept`. The rules judge by what the two keys lead to in this very transaction. */
export function accept(tx: Tx, delivery: NewDelivery): Acceptance {
  const byId = delivery.stale === true || delivery.unclear !== undefined ? undefined : findById(tx, delivery)
  // The commonest repeat is told by its id alone, without a second look-up.
  const bySignature = isRepeat(delivery, byId) ? undefined : findBySignature(tx, delivery)
  const known = { byId, bySignature }
  const spoof = earlierSpoofs(delivery, known).find((first) => !wasDispatchedUnder(tx, delivery, first))
  return write(tx, delivery, judgeDelivery(delivery, known, spoof))
}

function write(tx: Tx, delivery: NewDelivery, verdict: Verdict): Acceptance {
  switch (verdict.write) {
    case 'row':
      return store(tx, delivery, verdict.state, verdict.root)
    case 'resembling':
      return setAside(tx, delivery, verdict.root, verdict.state)
    case 'repeat':
      tx.sql(COUNT_REPEAT).run(verdict.seq)
      // An unsettled delivery is woken by its repeat: perhaps nobody is at work on it.
      if (verdict.answer === 'duplicate') tx.wake('items')
      return verdict.answer
  }
}

interface KnownRow {
  readonly seq: number
  readonly root: number
  readonly digest: Buffer
  readonly delivery_id: string | null
  readonly event: string | null
  readonly own_event: string | null
  readonly state: DeliveryState
}

const BY_ID = 'SELECT seq FROM delivery_ids WHERE subscription = ? AND delivery_id = ?'
const BY_SIGNATURE = 'SELECT seq FROM signed WHERE subscription = ? AND timestamp = ? AND digest = ?'
const KNOWN =
  'SELECT seq, coalesce(of_seq, seq) AS root, digest, delivery_id, event, own_event, state FROM deliveries WHERE seq = ?'

function findById(tx: Tx, delivery: NewDelivery): KnownDelivery | undefined {
  return known(tx, tx.sql(BY_ID).get(delivery.subscription, delivery.deliveryId), delivery)
}

function findBySignature(tx: Tx, delivery: NewDelivery): KnownDelivery | undefined {
  return known(tx, tx.sql(BY_SIGNATURE).get(delivery.subscription, delivery.timestamp, delivery.digest), delivery)
}

function known(tx: Tx, found: unknown, { digest }: NewDelivery): KnownDelivery | undefined {
  if (found === undefined) return undefined
  const row = tx.sql(KNOWN).get((found as { seq: number }).seq) as KnownRow | undefined
  return (
    row && {
      seq: row.seq,
      root: row.root,
      state: row.state,
      deliveryId: row.delivery_id ?? undefined,
      event: row.event ?? undefined,
      ownEvent: row.own_event ?? undefined,
      sameBytes: row.digest.equals(digest),
    }
  )
}

const COUNT_REPEAT = 'UPDATE deliveries SET repeats = repeats + 1 WHERE seq = ?'
// The unique index over resembling deliveries decides which of them is repeated.
const COUNT_RESEMBLING = `
  UPDATE deliveries SET repeats = repeats + 1
  WHERE of_seq = ? AND digest = ? AND coalesce(event, '') = coalesce(?, '') AND state = ?`

const NOTES = {
  conflict: 'this id came before with other signed bytes',
  suspected_replay: 'these signed bytes came before',
} as const

function setAside(tx: Tx, delivery: NewDelivery, root: number, state: keyof typeof NOTES): Acceptance {
  if (tx.sql(COUNT_RESEMBLING).run(root, delivery.digest, delivery.event ?? null, state).changes > 0) return state
  const seq = insert(tx, delivery, state, root, NOTES[state])
  // Ingest can read a conflict, and so can say whether it is the same message as the first one.
  if (state === 'conflict') leavePending(tx, seq)
  return state
}

const INSERT = `
  INSERT INTO deliveries
    (seq, body_place, subscription, delivery_id, event, timestamp, digest, received_at, clock_offset, state, of_seq, note)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
// A known id passes to the genuine delivery from the one with a false event name: see the rule `earlierSpoofs`.
const INSERT_ID = `
  INSERT INTO delivery_ids (subscription, delivery_id, seq) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET seq = excluded.seq`
const INSERT_SIGNED = `
  INSERT INTO signed (subscription, timestamp, digest, seq) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET seq = excluded.seq`

function store(tx: Tx, delivery: NewDelivery, state: 'stored' | 'quarantined' | 'stale', root?: number): Acceptance {
  const seq = insert(tx, delivery, state, root, delivery.unclear)
  const { subscription, deliveryId, timestamp, digest } = delivery
  if (state === 'stored') tx.sql(INSERT_ID).run(subscription, deliveryId, seq)
  tx.sql(INSERT_SIGNED).run(subscription, timestamp, digest, seq)
  if (state === 'stored') leavePending(tx, seq)
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
