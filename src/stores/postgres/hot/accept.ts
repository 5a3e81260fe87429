import { startedItem } from '../../operations/items/insert-item.ts'
import { itemId, ITEMS_PER_DELIVERY } from '../../operations/items/item-ids.ts'
import { customerLane, newFence, windowIn, type WindowRow } from '../../operations/lanes/lanes.ts'
import type { Operations } from '../../operations/store.ts'
import { letGo } from '../../operations/turns/item-turns.ts'
import type {
  Accepted,
  Beginning,
  Ingested,
  Mute,
  NewDelivery,
  NewItem,
  NewStatus,
  OpenConversation,
} from '../../port/index.ts'
import { createHot, type Grouping, type HotStatement, ODD } from './hot.ts'
import { listsOf, nullable, type RowOf, rowsOf } from './rows.ts'
import { openWith } from './started.ts'
import type { HotTx } from '../transaction.ts'
import { isRepeat, placeItem } from '../../rules/acceptance.ts'

type Deliveries = Pick<Operations, 'accept'>

export function hotDeliveries(
  operations: Operations,
  grouping: Grouping,
): { readonly operations: Deliveries; close(): Promise<void> } {
  const accepting = createHot(grouping, acceptAll)
  const counting = createHot(grouping, countRepeats)
  return {
    operations: {
      accept(delivery, o) {
        const ordinary = acceptingOf(delivery, o)
        // Nothing is awaited before, so that it keeps its place: what comes behind it must not begin before it.
        if (!ordinary) return operations.accept(delivery, o)
        const { waitMs, begin } = o ?? {}
        const askedAt = grouping.monotonic()
        // A delivery that goes several ways waits no longer than one that goes one way.
        const wait = () =>
          waitMs === undefined ? {} : { waitMs: Math.max(0, waitMs - (grouping.monotonic() - askedAt)) }
        const alone = () => operations.accept(delivery, { ...o, ...wait() })
        return accepting.ask(ordinary, () => counting.ask(ordinary.delivery, alone, wait()), {
          ...wait(),
          unwanted: ({ started }) => started && letGo(operations, [started], begin?.now ?? 0),
        })
      },
    },
    async close() {
      await accepting.close()
      await counting.close()
    },
  }
}

/** An acceptance in its ordinary case: nobody holds a key of it, and it is one item at most. */
interface Accepting {
  readonly delivery: ClearDelivery
  /** Undefined: it is left pending. */
  readonly ingested: Ingested | undefined
  readonly begin: Beginning | undefined
}

type ClearDelivery = NewDelivery & { readonly deliveryId: string; readonly event: string }

/** Undefined if the delivery is none that the statement can store. */
function acceptingOf(
  delivery: NewDelivery,
  { ingested, begin }: { readonly ingested?: Ingested; readonly begin?: Beginning } = {},
): Accepting | undefined {
  const { deliveryId, event, stale, unclear } = delivery
  if (stale === true || unclear !== undefined || deliveryId === undefined || event === undefined) return undefined
  if (ingested && !isPlain(ingested)) return undefined
  return { delivery: { ...delivery, deliveryId, event }, ingested, begin }
}

function isPlain({ items, windows, mutes = [] }: Ingested): boolean {
  return (
    mutes.length === 0 &&
    items.length <= 1 &&
    items.every(({ idx, burst }) => idx === 0 && burst === undefined) &&
    windows.length <= 1 &&
    windows.every(({ closing }) => closing === undefined)
  )
}

/** Stores a group of deliveries with their items, takes the lanes that are idle, and begins an item in each. */
const acceptAll: HotStatement<Accepting, Accepted> = {
  name: 'accept',
  // The index of identities would refuse the whole group.
  keysOf: ({ ingested }) =>
    ingested?.items.flatMap(({ number, identity }) => (identity ? [`${number} ${identity.key}`] : [])) ?? [],
  atOf: ({ ingested }) => ingested?.items[0]?.at ?? 0,
  async run(tx, group, waited) {
    const ordinary = await withPlainStatuses(tx, withoutRepeats(group))
    const beginning = beginnings(ordinary)
    const rows = ordinary.map((one, index) => arrivalOf(one, beginning.get(index), waited(group.indexOf(one))))
    const answers = new Map<Accepting, Accepted>()
    try {
      const stored = await tx.rows<StoredRow>(ACCEPT, listsOf(ARRIVAL, rows))
      const open = await openWith(
        tx,
        stored.flatMap(({ n, began, talks }) => (began && talks ? (ordinary[n - 1]?.ingested?.items ?? []) : [])),
      )
      for (const row of stored) {
        const accepting = ordinary[row.n - 1] as Accepting
        answers.set(accepting, answerOf(tx, accepting, row, rows[row.n - 1] as Arrival, open))
      }
      await keepStatuses(tx, [...answers.keys()].flatMap(statusesOf))
    } catch (error) {
      answers.clear()
      throw error
    } finally {
      for (const [index] of beginning) {
        const accepting = ordinary[index] as Accepting
        if (answers.get(accepting)?.started === undefined) giveBack(accepting)
      }
    }
    return group.map((accepting) => answers.get(accepting) ?? ODD)
  },
}

/** The first under each key: the others are repeats of it, which are counted once it is stored. */
function withoutRepeats(group: readonly Accepting[]): readonly Accepting[] {
  const keys = new Set<string>()
  return group.filter(({ delivery: { subscription, deliveryId, timestamp, digest } }) => {
    const id = `${subscription} ${deliveryId}`
    const signed = `${subscription} ${timestamp} ${Buffer.from(digest).toString('latin1')}`
    if (keys.has(id) || keys.has(signed)) return false
    keys.add(id).add(signed)
    return true
  })
}

/** Those that say nothing about a send, or about one that is known. */
async function withPlainStatuses(tx: HotTx, group: readonly Accepting[]): Promise<readonly Accepting[]> {
  const plain = await plainStatuses(
    tx,
    group.flatMap(({ ingested }) => ingested?.statuses ?? []),
  )
  return group.filter(({ ingested }) => ingested?.statuses.every((status) => plain.has(status)) ?? true)
}

function statusesOf({ delivery: { receivedAt }, ingested }: Accepting) {
  return ingested?.statuses.map((status) => ({ status, receivedAt })) ?? []
}

function giveBack({ begin, ingested }: Accepting): void {
  const [item] = ingested?.items ?? []
  if (item) begin?.room.give(item.number)
}

/** By their places in the group, the items that may begin, with their tokens: the first of each lane, if there is room. */
function beginnings(group: readonly Accepting[]): ReadonlyMap<number, number> {
  const lanes = new Set<string>()
  const tokens = new Map<number, number>()
  group.forEach(({ ingested, begin }, index) => {
    const [item] = ingested?.items ?? []
    if (item?.state !== 'stored') return
    const isFirst = item.lane === undefined || !lanes.has(item.lane)
    if (item.lane !== undefined) lanes.add(item.lane)
    if (isFirst && begin?.room.take(item.number)) tokens.set(index, newFence(item.lane ?? '', begin.owner).token)
  })
  return tokens
}

function arrivalOf({ delivery, ingested, begin }: Accepting, token: number | undefined, waitedMs: number): Arrival {
  const { subscription, deliveryId, event, timestamp, digest, receivedAt, clockOffset, body, trace } = delivery
  const [item] = ingested?.items ?? []
  const [window] = ingested?.windows ?? []
  const placed = item && placeItem(item, item.identity && 'free', undefined)
  const isRead = ingested !== undefined && ingested.state !== 'ingested'
  return {
    subscription,
    delivery_id: deliveryId,
    event,
    timestamp,
    digest,
    received_at: receivedAt,
    clock_offset: clockOffset,
    trace,
    body,
    facts: item?.facts,
    delivery_state: isRead ? ingested.state : 'stored',
    note: isRead ? ingested.note : undefined,
    // Nothing resembles a delivery that has just come, so none is promoted in its place.
    own_event: isRead ? ingested.ownEvent : undefined,
    pending: ingested === undefined,
    kind: item?.kind,
    number: item?.number,
    customer: item?.customer,
    lane: item?.lane,
    at: item?.at,
    cause: placed?.cause,
    identity: item?.identity?.key,
    binding: item?.identity?.binding,
    item_state: placed?.state,
    reason: item?.reason,
    waits: placed?.waits ?? false,
    window_lane: window && customerLane(window),
    last_at: window?.lastAt,
    owner: token === undefined ? undefined : begin?.owner,
    token,
    until: token === undefined || begin === undefined ? undefined : begin.now + waitedMs + begin.leaseMs,
  }
}

function answerOf(
  tx: HotTx,
  { delivery, ingested, begin }: Accepting,
  row: StoredRow,
  arrival: Arrival,
  open: ReadonlyMap<NewItem, OpenConversation | undefined>,
): Accepted {
  const { seq, began } = row
  if (ingested === undefined || (arrival.waits && !began)) tx.wake('items')
  if (ingested === undefined) return { as: 'stored', seq }
  const [item] = ingested.items
  if (!began || !item || !begin) return { as: 'stored', seq, ingested: [] }
  const { number, customer, identity } = item
  const { lane, token } = row
  const mute: Mute | undefined =
    row.why === null || customer === undefined
      ? undefined
      : { number, customer, why: row.why, since: row.since, until: row.ends }
  const work = {
    ...startedItem(
      item,
      placeItem(item, identity && 'free', undefined),
      itemId(seq, 0),
      { ...delivery, seq },
      customer === undefined ? {} : windowIn(row),
    ),
    mute,
    conversation: open.get(item),
  }
  return { as: 'stored', seq, ingested: [], started: { fence: { lane, owner: begin.owner, token }, work } }
}

const ARRIVAL = {
  subscription: 'text',
  delivery_id: 'text',
  event: 'text',
  timestamp: 'bigint',
  digest: 'bytea',
  received_at: 'bigint',
  clock_offset: 'bigint',
  trace: nullable('text'),
  body: 'bytea',
  facts: nullable('text'),
  delivery_state: 'text',
  note: nullable('text'),
  own_event: nullable('text'),
  pending: 'boolean',
  /** NULL, like all that follows up to `waits`, if it has no item. */
  kind: nullable('text'),
  number: nullable('text'),
  customer: nullable('text'),
  lane: nullable('text'),
  at: nullable('bigint'),
  cause: nullable('text'),
  identity: nullable('text'),
  binding: nullable('text'),
  item_state: nullable('text'),
  reason: nullable('text'),
  waits: 'boolean',
  window_lane: nullable('text'),
  last_at: nullable('bigint'),
  /** NULL, like the two that follow, if the item may not begin. */
  owner: nullable('text'),
  token: nullable('bigint'),
  until: nullable('bigint'),
} as const

type Arrival = RowOf<typeof ARRIVAL>

/** A delivery that was stored; those that are missing are odd. `n` counts from 1. */
interface StoredRow extends WindowRow {
  readonly n: number
  readonly seq: number
  readonly began: boolean
  readonly lane: string
  readonly token: number
  readonly why: Mute['why'] | null
  readonly since: number
  readonly ends: number
  readonly talks: boolean
}

/**
 * The whole of an acceptance, for a group whose order is that of the payload times. Keys are looked for before anything is
 * written, so that a repeat takes no number; if another process stores one of them in just that moment, an index refuses the
 * group, which is then run again. A lane that is idle in its latest version is taken: whoever leaves one idle has looked
 * whether anything waits in it. Deliveries are inserted in the order of their digests, which are equal for a repeat and
 * for a replay under another id: two processes that store the same ones do not wait for each other crosswise. Look-ups
 * are scalar, since a plan that joins would read whole tables. The parts `d`, `c`, `p`, `l` and `i` write the tables
 * `deliveries`, `contents`, `pending`, `lanes` and `items`.
 */
const ACCEPT = `
WITH given AS MATERIALIZED (
  SELECT f.*, coalesce(f.lane, f.number || '//' || f.seq || '.0') AS key FROM (
    SELECT nextval('places') AS seq, f.* FROM (
      SELECT * FROM ${rowsOf(ARRIVAL)}
      WHERE (
          SELECT 1 FROM deliveries k
          WHERE k.subscription = g.subscription AND k.delivery_id = g.delivery_id AND k.holds_id = 1 LIMIT 1) IS NULL
        AND (
          SELECT 1 FROM deliveries k
          WHERE k.subscription = g.subscription AND k.timestamp = g.timestamp AND k.digest = g.digest AND k.holds_signed = 1
          LIMIT 1) IS NULL
        AND (SELECT 1 FROM items k WHERE k.number = g.number AND k.identity = g.identity AND k.holds = 1 LIMIT 1) IS NULL
      ORDER BY n) f) f),
d AS (
  INSERT INTO deliveries (seq, body_place, subscription, delivery_id, event, timestamp, digest, received_at, clock_offset,
    trace, state, note, own_event, holds_id, holds_signed)
  SELECT seq, seq, subscription, delivery_id, event, timestamp, digest, received_at, clock_offset,
    trace, delivery_state, note, own_event, 1, 1
  FROM given ORDER BY subscription, digest, delivery_id
  RETURNING 1),
c AS (
  INSERT INTO contents (place, seq, body, facts) SELECT seq, seq, body, facts FROM given),
p AS (
  INSERT INTO pending (seq) SELECT seq FROM given WHERE pending),
touched AS (
  SELECT n, key, received_at, true AS enters, NULL::bigint AS last_at, owner, token, until FROM given
  WHERE waits AND (SELECT count(*) FROM d) > 0
  UNION ALL
  SELECT n, window_lane, received_at, false, last_at, NULL, NULL, NULL FROM given
  WHERE window_lane IS NOT NULL AND (SELECT count(*) FROM d) > 0),
moves AS MATERIALIZED (
  SELECT key, bool_or(enters) AS enters, max(last_at) AS last_at,
    (array_agg(received_at ORDER BY enters DESC, n))[1] AS since,
    (array_agg(received_at ORDER BY n DESC) FILTER (WHERE NOT enters))[1] AS moved_at,
    max(owner) AS owner, max(token) AS token, max(until) AS until,
    EXISTS (SELECT 1 FROM pending) OR EXISTS (SELECT 1 FROM given WHERE pending) AS older
  FROM touched GROUP BY key),
l AS (
  INSERT INTO lanes AS l (key, kind, number, ready_at, since, owner, token, last_at, moved_at)
  SELECT key, 'item', split_part(key, '/', 1),
    CASE WHEN NOT enters THEN NULL WHEN token IS NULL OR older THEN 0 ELSE until END, since,
    CASE WHEN NOT older THEN owner END, CASE WHEN NOT older THEN token END, last_at, moved_at
  FROM moves ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    ready_at = CASE
      WHEN excluded.ready_at IS NULL THEN l.ready_at
      WHEN l.ready_at IS NULL THEN excluded.ready_at
      WHEN l.owner IS NULL THEN l.blocked_until
      ELSE l.ready_at END,
    since = CASE WHEN excluded.ready_at IS NOT NULL AND l.ready_at IS NULL THEN excluded.since ELSE l.since END,
    owner = CASE WHEN l.ready_at IS NULL THEN excluded.owner ELSE l.owner END,
    token = CASE WHEN l.ready_at IS NULL THEN excluded.token ELSE l.token END,
    last_at = greatest(l.last_at, excluded.last_at), moved_at = coalesce(excluded.moved_at, l.moved_at)
  RETURNING key, owner, token, last_at, handled_at, sent_at),
placed AS MATERIALIZED (
  SELECT n, seq, received_at, kind, number, customer, key, at, cause, identity, binding, item_state, reason, waits, token,
    number || '/' || customer AS own, ((key, owner, token) IN (SELECT key, owner, token FROM l)) IS TRUE AND waits AS began
  FROM given),
i AS (
  INSERT INTO items (id, seq, idx, kind, number, customer, lane, at, facts_place, cause, identity, binding, holds, state,
    attempts, ready_at, reason, created_at, settled_at)
  SELECT seq * ${ITEMS_PER_DELIVERY}, seq, 0, kind, number, customer, key, at, seq, cause, identity, binding,
    CASE WHEN identity IS NULL THEN 0 ELSE 1 END, CASE WHEN began THEN 'running' ELSE item_state END,
    CASE WHEN began THEN 1 ELSE 0 END, 0, reason, received_at, CASE WHEN NOT waits THEN received_at END
  FROM placed WHERE kind IS NOT NULL ORDER BY number, identity)
SELECT p.n, p.seq, p.began, p.key AS lane, p.token, coalesce(w.last_at, o.last_at) AS last_at,
  coalesce(w.handled_at, o.handled_at) AS handled_at, coalesce(w.sent_at, o.sent_at) AS sent_at,
  m.why, m.since, m.ends, (SELECT 1 FROM conversations LIMIT 1) IS NOT NULL AS talks
FROM placed p
  LEFT JOIN LATERAL (
    SELECT last_at, handled_at, sent_at FROM l WHERE p.began AND p.own = p.key AND l.key = p.key LIMIT 1) w ON true
  LEFT JOIN LATERAL (
    SELECT last_at, handled_at, sent_at FROM lanes WHERE p.began AND p.own <> p.key AND lanes.key = p.own LIMIT 1) o ON true
  LEFT JOIN LATERAL (
    SELECT why, since, until AS ends FROM mutes
    WHERE p.began AND mutes.number = p.number AND mutes.customer = p.customer LIMIT 1) m ON true`

type Repeated = NewDelivery & { readonly deliveryId: string }

/** Counts repeats of deliveries that are stored: the same id, bytes and event name. */
const countRepeats: HotStatement<Repeated, Accepted> = {
  name: 'accept of a repeat',
  keysOf: () => [],
  async run(tx, group) {
    const known = new Map<number, KnownRow>()
    const ids = group.map(({ subscription, deliveryId }) => ({ subscription, id: deliveryId }))
    for (const row of await tx.rows<KnownRow>(KNOWN, listsOf(IDS, ids))) known.set(row.n - 1, row)
    const repeats = new Map<number, number>()
    const answers = group.map((delivery, index) => {
      const row = known.get(index)
      if (!row || !isRepeat(delivery, firstOf(row, delivery))) return ODD
      repeats.set(row.seq, (repeats.get(row.seq) ?? 0) + 1)
      return { as: 'duplicate' } as const
    })
    if (repeats.size === 0) return answers
    await tx.rows(COUNT, [[...repeats.keys()], [...repeats.values()]])
    // An unsettled delivery is woken by its repeat: perhaps nobody is at work on it.
    tx.wake('items')
    return answers
  },
}

interface KnownRow {
  readonly n: number
  readonly seq: number
  readonly digest: Buffer
  readonly event: string | null
}

function firstOf({ digest, event }: KnownRow, delivery: NewDelivery) {
  return { sameBytes: digest.equals(delivery.digest), event: event ?? undefined }
}

const IDS = { subscription: 'text', id: 'text' } as const

const KNOWN = `
SELECT g.n, d.seq, d.digest, d.event FROM ${rowsOf(IDS)} CROSS JOIN LATERAL (
  SELECT seq, digest, event FROM deliveries k
  WHERE k.subscription = g.subscription AND k.delivery_id = g.id AND k.holds_id = 1 LIMIT 1) d`

const COUNT = `
WITH locked AS MATERIALIZED (
  SELECT d.seq, g.repeats FROM (
    SELECT * FROM unnest($1::bigint[], $2::bigint[]) AS g(seq, repeats) ORDER BY seq) g CROSS JOIN LATERAL (
    SELECT seq FROM deliveries k WHERE k.seq = g.seq FOR UPDATE) d)
UPDATE deliveries d SET repeats = d.repeats + l.repeats FROM locked l WHERE d.seq = l.seq`

const NAMED = { message: nullable('text'), upstream: nullable('text') } as const

/** Statuses of sends that are known, and learn no id from them. A send that is unknown may just be getting its ids. */
async function plainStatuses(tx: HotTx, statuses: readonly NewStatus[]): Promise<ReadonlySet<NewStatus>> {
  if (statuses.length === 0) return new Set()
  const named = statuses.map(({ messageId, upstreamId }) => ({ message: messageId, upstream: upstreamId }))
  const rows = await tx.rows<{ n: number }>(PLAIN, listsOf(NAMED, named))
  return new Set(rows.map(({ n }) => statuses[n - 1] as NewStatus))
}

const PLAIN = `
SELECT g.n FROM ${rowsOf(NAMED)} WHERE coalesce(
  (SELECT s.upstream_id IS NOT NULL OR g.upstream IS NULL FROM sends s WHERE s.message_id = g.message LIMIT 1),
  (SELECT true FROM sends s WHERE s.upstream_id = g.upstream LIMIT 1))`

const KEPT = {
  message: 'text',
  status: 'text',
  at: 'bigint',
  number: 'text',
  reason: nullable('text'),
  received_at: 'bigint',
} as const

/** Records statuses of known sends: see `recordStatus` of the operations. */
async function keepStatuses(
  tx: HotTx,
  statuses: readonly { readonly status: NewStatus; readonly receivedAt: number }[],
): Promise<void> {
  const rows = statuses.flatMap(({ status: { messageId, upstreamId, status, at, number, reason }, receivedAt }) =>
    [messageId, upstreamId].flatMap((message) =>
      message === undefined ? [] : [{ message, status, at, number, reason, received_at: receivedAt }],
    ),
  )
  if (rows.length > 0) await tx.rows(KEEP, listsOf(KEPT, rows))
}

const NAMES = Object.keys(KEPT).join(', ')

const KEEP = `
INSERT INTO statuses (${NAMES})
SELECT ${NAMES} FROM ${rowsOf(KEPT)} ORDER BY message, status, at, n ON CONFLICT DO NOTHING`
