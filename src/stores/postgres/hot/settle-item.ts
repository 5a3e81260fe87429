import {
  type Fence,
  type Next,
  numberOf,
  type Room,
  type Settled,
  type Settlement,
  type StartedItem,
} from '../../port/index.ts'
import { isOwnLane } from './driven.ts'
import { type HotStatement, ODD } from './hot.ts'
import { type Columns, listsOf, nullable, type RowOf, rowsOf } from './rows.ts'
import { type BegunItemRow, itemInLane, startedFrom } from './started.ts'
import type { HotTx } from '../transaction.ts'
import { itemChange } from '../../rules/items.ts'

export interface Settling extends Omit<EndingMore, 'goes_on'> {
  readonly goOn: boolean
  readonly room: Room | undefined
}

/** Undefined if the settlement is none that the statement can write. */
export function settlingOf(fence: Fence, item: number, settlement: Settlement, next: Next): Settling | undefined {
  const { now, goOn, room } = next
  const change = itemChange(settlement, now)
  if (change.waits || ('conversations' in settlement && settlement.conversations)) return undefined
  const { state, reason, completedHandlers, failure } = change
  const session = settlement.as === 'done' ? settlement.session : undefined
  // The holder of a customer's own lane alone writes the session: so no two statements wait for its row.
  if (session && !isOwnLane(fence.lane)) return undefined
  return {
    ...fence,
    item,
    state,
    reason,
    completed: completedHandlers && JSON.stringify(completedHandlers),
    failure: failure && JSON.stringify(failure),
    now,
    writes_session: session !== undefined,
    session: session?.value,
    session_before: session?.before,
    session_read_at: session?.readAt,
    session_version: session?.version,
    session_expires: session?.expiresAt,
    goOn,
    room,
  }
}

/** Settles a group of items, and begins the next one in each of their lanes, or releases the lane. */
export const settleAll: HotStatement<Settling, Settled<StartedItem>> = {
  name: 'settleItem',
  keysOf: ({ lane }) => [lane],
  async run(tx, group) {
    // A lane that goes on needs room before it is known whether anything waits there.
    const going = group.map(({ goOn, room, lane }) => goOn && room?.take(numberOf(lane)) !== false)
    const rows = group.map((settling, index) => ({ ...settling, goes_on: going[index] === true }))
    let ended: ReadonlyMap<number, EndedRow> = new Map()
    try {
      ended = await settle(tx, rows)
    } finally {
      group.forEach(({ room, lane }, index) => {
        if (going[index] && ended.get(index)?.begins !== true) room?.give(numberOf(lane))
      })
    }
    const begun = [...ended.values()].filter(({ begins }) => begins)
    const works = await startedFrom(tx, begun)
    const nextOf = new Map(begun.map((row, index) => [row, works[index]]))
    return group.map((_, index) => answerOf(tx, ended.get(index), nextOf))
  },
}

/**
 * By their places, the settlements whose lanes were held. A lane that has changed since the statement began, by the renewal
 * of its lease as a rule, is locked by then: a second statement sees all that is in it.
 */
async function settle(tx: HotTx, rows: readonly EndingMore[]): Promise<ReadonlyMap<number, EndedRow>> {
  const ended = new Map<number, EndedRow>()
  for (let left = [...rows.keys()], turn = 1; left.length > 0 && turn <= 2; turn++) {
    const asked = left
    const given = asked.map((index) => rows[index] as EndingMore)
    left = []
    for (const row of await ask(tx, given)) {
      const index = asked[row.n - 1] as number
      ended.set(index, row)
      if (!row.seen) left.push(index)
    }
  }
  const bursts = [...ended].filter(([, row]) => row.planned && row.of_burst !== null)
  if (bursts.length > 0)
    await tx.rows(
      SETTLE_PARTS,
      listsOf(
        ENDING_MORE,
        bursts.map(([index]) => rows[index] as EndingMore),
      ),
    )
  return ended
}

function ask(tx: HotTx, rows: readonly EndingMore[]): Promise<readonly EndedRow[]> {
  return rows.every(isPlain) ? tx.rows(SETTLE, listsOf(ENDING, rows)) : tx.rows(SETTLE_MORE, listsOf(ENDING_MORE, rows))
}

function isPlain({ reason, completed, failure, writes_session }: EndingMore): boolean {
  return reason === undefined && completed === undefined && failure === undefined && !writes_session
}

function answerOf(
  tx: HotTx,
  row: EndedRow | undefined,
  nextOf: ReadonlyMap<EndedRow, StartedItem | undefined>,
): Settled<StartedItem> | typeof ODD {
  if (!row) return { held: false, next: undefined }
  if (!row.planned) return ODD
  if (row.leaves) tx.wake('items')
  return { held: true, next: nextOf.get(row) }
}

/** The end of an item that comes to rest, with the fence of its lane. */
const ENDING = {
  lane: 'text',
  owner: 'text',
  token: 'bigint',
  item: 'bigint',
  state: 'text',
  /** Wall time. */
  now: 'bigint',
  /** The lane's next item begins, if one is ready. */
  goes_on: 'boolean',
} as const

/** The members that only some ends have: each list costs a group as much as several rows. */
const ENDING_MORE = {
  ...ENDING,
  reason: nullable('text'),
  completed: nullable('text'),
  failure: nullable('text'),
  writes_session: 'boolean',
  /** NULL: the session ends. */
  session: nullable('text'),
  session_before: nullable('text'),
  session_read_at: nullable('bigint'),
  session_version: nullable('bigint'),
  session_expires: nullable('bigint'),
} as const

type EndingMore = RowOf<typeof ENDING_MORE>

/**
 * The end of one settlement of a group; `n` counts from 1. There is none if the lane was lost. Without `planned` the
 * settlement is odd, and nothing was changed.
 */
interface EndedRow extends BegunItemRow {
  readonly n: number
  /** All that waits in the lane was seen. */
  readonly seen: boolean
  readonly planned: boolean
  readonly begins: boolean
  /** Something waits in the lane, which was released. */
  readonly leaves: boolean
  /** The item's own `burst`. */
  readonly of_burst: number | null
}

/** The parts behind `found` need no more of what was given: each column of its rows is written and read once more. */
const GIVEN = 'g.n, g.lane, g.state, g.now'
const GIVEN_MORE = `${GIVEN}, g.reason, g.completed, g.failure, g.writes_session, g.session, g.session_version,
    g.session_expires, i.number, i.customer`

const CHANGE = 'state = p.state, settled_at = p.now, reason = NULL, failure = NULL'
const CHANGE_MORE = `state = p.state, settled_at = p.now, reason = p.reason,
    failure = CASE WHEN p.reason IS NULL THEN NULL ELSE coalesce(p.failure, i.failure) END,
    completed_handlers = coalesce(p.completed, i.completed_handlers)`

const SESSIONS = `
written AS (
  INSERT INTO sessions AS s (number, customer, value, version, expires_at)
  SELECT DISTINCT ON (number, customer) number, customer, session, session_version, session_expires FROM found
  WHERE seen AND planned AND writes_session AND session IS NOT NULL AND customer IS NOT NULL
  ORDER BY number, customer, n DESC
  ON CONFLICT (number, customer)
  DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at),
ended AS (
  DELETE FROM sessions s USING found p
  WHERE p.seen AND p.planned AND p.writes_session AND p.session IS NULL
    AND s.number = p.number AND s.customer = p.customer),`

/** Whoever writes a session from outside an item writes alone, so that the snapshot is the latest. */
const SESSION_AS_READ = `AND (NOT g.writes_session OR (
      SELECT s.value FROM sessions s WHERE s.number = i.number AND s.customer = i.customer
        AND (s.expires_at IS NULL OR s.expires_at > g.session_read_at) LIMIT 1) IS NOT DISTINCT FROM g.session_before)`

const SETTLE = settling(ENDING, GIVEN, CHANGE, '')
const SETTLE_MORE = settling(ENDING_MORE, GIVEN_MORE, CHANGE_MORE, SESSIONS, SESSION_AS_READ)

/** Settles the other parts of bursts, as their last parts were. */
const SETTLE_PARTS = `
UPDATE items i SET ${CHANGE_MORE} FROM (SELECT * FROM ${rowsOf(ENDING_MORE)}) p WHERE i.burst = p.item AND i.id <> p.item`

/**
 * Settles items, and lets each lane go or begins its next item. The lanes are locked in the order of their keys, and the
 * row that is locked is the latest: all else in the statement is of a snapshot, which may be older. If the snapshot does
 * not see that row, something may wait in the lane that is not seen either, and the settlement is not written. Odd are
 * those after which something waits for a later time, or a burst begins, and those whose session was written meanwhile. Rows are written by their places in the tables,
 * where they were found: whoever changes an item has its lane, so no other version was put elsewhere meanwhile. The parts
 * of the statement are not joined with each other: that compares each row of a group with each.
 */
function settling(columns: Columns, given: string, change: string, sessions: string, asRead = ''): string {
  return `
WITH found AS MATERIALIZED (
  SELECT ${given}, l.place, l.last_at, l.sent_at, i.place AS of_item, i.burst,
    n.place AS next, g.goes_on AND n.id IS NOT NULL AS begins,
    CASE WHEN g.state = 'done' AND l.last_at IS NOT NULL AND i.kind = 'message' THEN greatest(l.handled_at, i.at)
      ELSE l.handled_at END AS handled_at,
    (SELECT true FROM lanes s WHERE s.ctid = l.place) IS TRUE AS seen,
    i.id IS NOT NULL AND CASE
      WHEN n.id IS NULL THEN NOT EXISTS (
        SELECT 1 FROM items o WHERE o.lane = g.lane AND o.settled_at IS NULL AND o.id <> g.item
          AND (o.burst IS NULL OR o.burst <> g.item))
      ELSE NOT g.goes_on OR (n.burst IS NULL AND n.state <> 'running') END ${asRead} AS planned
  FROM (SELECT * FROM ${rowsOf(columns)} ORDER BY lane) g
    CROSS JOIN LATERAL (
      SELECT l.ctid AS place, l.last_at, l.handled_at, l.sent_at FROM lanes l
      WHERE l.key = g.lane AND l.owner = g.owner AND l.token = g.token FOR UPDATE) l
    LEFT JOIN LATERAL (
      SELECT i.ctid AS place, i.id, i.number, i.customer, i.burst, i.kind, i.at FROM items i
      WHERE i.id = g.item LIMIT 1) i ON true
    LEFT JOIN LATERAL (
      SELECT n.ctid AS place, n.id, n.burst, n.state FROM items n
      WHERE n.lane = g.lane AND n.settled_at IS NULL AND n.ready_at <= g.now AND n.id <> g.item
        AND (n.burst IS NULL OR n.burst <> g.item)
      ORDER BY n.at, n.id LIMIT 1) n ON true),
settled AS (
  UPDATE items i SET ${change} FROM found p WHERE p.seen AND p.planned AND i.ctid = p.of_item),
begun AS (
  UPDATE items i SET state = 'running', attempts = attempts + 1 FROM found p
  WHERE p.seen AND p.planned AND p.begins AND i.ctid = p.next),${sessions}
kept AS (
  UPDATE lanes l SET handled_at = p.handled_at,
    owner = CASE WHEN p.begins THEN l.owner END, token = CASE WHEN p.begins THEN l.token END,
    ready_at = CASE WHEN p.begins THEN l.ready_at WHEN p.next IS NOT NULL THEN 0 END,
    since = CASE WHEN p.begins THEN l.since ELSE p.now END,
    blocked_until = CASE WHEN p.begins THEN l.blocked_until ELSE 0 END
  FROM found p WHERE p.seen AND p.planned AND l.ctid = p.place AND (p.last_at IS NOT NULL OR p.next IS NOT NULL)),
gone AS (
  DELETE FROM lanes l USING found p
  WHERE p.seen AND p.planned AND l.ctid = p.place AND p.last_at IS NULL AND p.next IS NULL)
SELECT e.n, e.seen, e.seen AND e.planned AS planned, e.seen AND e.planned AND e.begins AS begins,
  e.seen AND e.planned AND e.next IS NOT NULL AND NOT e.begins AS leaves, e.burst AS of_burst, r.*
FROM found e LEFT JOIN LATERAL (${itemInLane('e.seen AND e.planned AND e.begins AND i.ctid = e.next')}) r ON true`
}
