import { newFence } from '../../operations/lanes/lanes.ts'
import { PENDING } from '../../operations/turns/item-turns.ts'
import type { Claim, Claimed, Held, StartedItem } from '../../port/index.ts'
import { type HotStatement, ODD } from './hot.ts'
import { type BegunItemRow, itemInLane, startedFrom } from './started.ts'
import type { HotTx } from '../transaction.ts'
import { AT_ONCE, SUSPICIOUS_ATTEMPTS } from '../../rules/items.ts'

/**
 * Takes lanes that are ready, and begins an item in each. Lanes that come due are odd, and so is one with a suspect
 * as long as one may begin.
 */
export const claimAll: HotStatement<Claim, Claimed<StartedItem>> = {
  name: 'claimItems',
  keysOf: () => [],
  async run(tx, group, waited) {
    const answers: (Claimed<StartedItem> | typeof ODD)[] = []
    for (const [index, claim] of group.entries()) answers.push(await claimOne(tx, claim, waited(index)))
    return answers
  },
}

async function claimOne(tx: HotTx, claim: Claim, waitedMs: number): Promise<Claimed<StartedItem> | typeof ODD> {
  const { room } = claim
  const free = room?.free?.() ?? claim.limit
  // Settlements of this process that began before may have taken all the room.
  if (free <= 0 && claim.limit > 0) return { held: [], nextAt: AT_ONCE }
  // A claim of nothing puts what has come due in its place.
  const limit = Math.min(claim.limit, free)
  const chosen = await choose(tx, claim, limit)
  const [all] = chosen as readonly [ChosenRow]
  if (all.pending) return PENDING
  if (all.due || chosen.some(({ key, odd }) => key !== null && odd)) return ODD
  const found = chosen.filter(({ key }) => key !== null)
  const taken = found.filter(({ number }) => room?.take(number) !== false)
  const held = taken.length > 0 ? await begin(tx, claim, taken, waitedMs) : []
  // Lanes that others have locked may be ready still, and those that found no room are.
  const more = all.ready > taken.length
  return { held, nextAt: more ? AT_ONCE : (all.next_at ?? undefined) }
}

/** The numbers of a bot with several have their turns, from the one that was served last. */
async function choose(
  tx: HotTx,
  { now, serviceNow = now, holding = [], room, after, suspects = true, unlessPending }: Claim,
  limit: number,
): Promise<readonly ChosenRow[]> {
  const full = room?.full?.() ?? []
  const given = [limit, now, serviceNow, holding, full, suspects ? 0 : 1, unlessPending ? 1 : 0]
  const chosen = after === undefined ? await tx.rows<ChosenRow>(CHOOSE, given) : []
  const inTurns = after !== undefined || chosen.some(({ several }) => several)
  return inTurns ? tx.rows(CHOOSE_IN_TURNS, [...given, after ?? '']) : chosen
}

async function begin(
  tx: HotTx,
  { owner, now, leaseMs, room }: Claim,
  taken: readonly ChosenRow[],
  waitedMs: number,
): Promise<readonly Held<StartedItem>[]> {
  const chosen = [taken.map(({ key }) => key), taken.map(({ place }) => place), taken.map(({ item }) => item)]
  const { token } = newFence('', owner)
  let rows: readonly BegunRow[] = []
  try {
    rows = await tx.rows<BegunRow>(BEGIN, [...chosen, now + waitedMs + leaseMs, owner, token])
  } finally {
    const begun = new Set(rows.map(({ lane }) => lane))
    for (const { key, number } of taken) if (key === null || !begun.has(key)) room?.give(number)
  }
  const works = await startedFrom(tx, rows)
  return rows.map(({ lane }, index) => ({ fence: { lane, owner, token }, work: works[index] as StartedItem }))
}

/** A lane that was locked for a claim, and what is said of all of them; without a key if there is none. */
interface ChosenRow {
  readonly key: string | null
  readonly number: string
  /** The places in their tables of the lane and of the item that begins there: both stay, since the lane is locked. */
  readonly place: string
  readonly item: string
  /** This claim must not begin what waits there: it is a suspect, or of a burst, or cannot be seen. */
  readonly odd: boolean
  /** Lanes or timers have come due, which have to be put in their places first. */
  readonly due: boolean
  readonly pending: boolean
  /** Lanes of several numbers are ready, and not all can be taken: the numbers have their turns. */
  readonly several: boolean
  /** Lanes that are ready, up to one more than was asked for. */
  readonly ready: number
  /** The first lane that becomes ready later, unless more are ready than were asked for. */
  readonly next_at: number | null
}

const AGAIN = '(owner IS NOT NULL OR blocked_until > 0)'
const IS_SUSPECT = `i.state = 'running' AND i.attempts >= ${SUSPICIOUS_ATTEMPTS}`
/** See `readyToHandle` of the operations. Scalar, since a plan that joins would read all items. */
const SUSPICIOUS = `${AGAIN} AND (
  SELECT 1 FROM items i WHERE i.lane = lanes.key AND i.settled_at IS NULL AND ${IS_SUSPECT} LIMIT 1) IS NOT NULL`
const READY = `kind = 'item' AND ready_at = 0 AND blocked_until <= $2 AND key <> ALL ($4::text[])
  AND NOT ($6::integer = 1 AND ${SUSPICIOUS})`
const ALLOWED = `${READY} AND number <> ALL ($5::text[])`
const COLUMNS = `ctid AS place, key, number, since, ${AGAIN} AS again`
const NONE_DUE = 'NOT (SELECT due OR pending FROM due)'

/**
 * Locks the lanes that a claim takes; those that another process has locked are left to it, and so is one that has changed
 * meanwhile. $1 the limit, $2 wall time, $3 service time, $4 lanes in hand, $5 numbers that have their share, $6 is 1
 * if suspects are left, $7 whether pending deliveries go first. Servers such as 17.5 lock the new version of a row that has changed, whose place is another one.
 */
function choosing(ready: string, several: string): string {
  return `
due AS MATERIALIZED (
  SELECT EXISTS (SELECT 1 FROM lanes WHERE kind = 'item' AND ready_at > 0 AND ready_at <= $2 AND key <> ALL ($4))
    OR EXISTS (SELECT 1 FROM timers WHERE due_at <= $3) AS due,
    $7::int = 1 AND EXISTS (SELECT 1 FROM pending) AS pending),
ready AS MATERIALIZED (${ready}),
counted AS MATERIALIZED (SELECT count(*) AS ready FROM ready),
chosen AS MATERIALIZED (
  SELECT r.*, k.latest FROM (SELECT * FROM ready ORDER BY nth, turn LIMIT $1) r CROSS JOIN LATERAL (
    SELECT l.ctid AS latest FROM lanes l WHERE l.ctid = r.place AND l.ready_at = 0 FOR UPDATE SKIP LOCKED) k)
SELECT c.key, c.number, c.place::text AS place, n.place::text AS item, d.due, d.pending, s.ready, ${several} AS several,
  n.id IS NULL OR n.burst IS NOT NULL OR (n.state = 'running' AND (NOT c.again OR n.suspect)) AS odd,
  CASE WHEN s.ready <= $1 THEN (
    SELECT min(ready_at) FROM lanes WHERE kind = 'item' AND ready_at > 0 AND key <> ALL ($4)) END AS next_at
FROM due d CROSS JOIN counted s LEFT JOIN chosen c ON c.latest = c.place
  LEFT JOIN LATERAL (
    (${firstWaiting('NOT c.again', 'i.at, i.id')})
    UNION ALL
    (${firstWaiting('c.again', 'i.attempts > 0 DESC, i.at, i.id')})) n ON true
ORDER BY c.nth, c.turn`
}

/**
 * Finds the item that goes first in a lane. If one has begun before, that one goes first, as in `beginItem`: that order
 * reads all that waits in the lane.
 */
function firstWaiting(lane: string, order: string): string {
  return `
    SELECT i.ctid AS place, i.id, i.burst, i.state, ${IS_SUSPECT} AS suspect FROM items i
    WHERE ${lane} AND i.lane = c.key AND i.settled_at IS NULL AND i.ready_at <= $2 ORDER BY ${order} LIMIT 1`
}

/** Chooses lanes for a claim if they are of one number, or if all that are ready can be taken. */
const CHOOSE = `WITH ${choosing(
  `
  SELECT *, row_number() OVER (PARTITION BY number ORDER BY since, key) AS nth, number AS turn FROM (
    SELECT ${COLUMNS} FROM lanes WHERE ${ALLOWED} ORDER BY number, since, key LIMIT $1 + 1) l
  WHERE ${NONE_DUE}`,
  `s.ready > $1 AND EXISTS (SELECT 1 FROM lanes WHERE ${ALLOWED} AND number > (SELECT min(number) FROM ready))`,
)}`

/** Chooses lanes for a claim as numbers have their turns. $8 is the number whose turn was last. */
const CHOOSE_IN_TURNS = `
WITH RECURSIVE numbers(number, turn, wrapped) AS (
  SELECT number, 1, wrapped FROM (
    (SELECT number, false AS wrapped FROM lanes WHERE ${ALLOWED} AND number > $8 ORDER BY number LIMIT 1)
    UNION ALL
    (SELECT number, true FROM lanes WHERE ${ALLOWED} AND number <= $8 ORDER BY number LIMIT 1)
    ORDER BY wrapped LIMIT 1) AS first
  UNION ALL
  SELECT s.number, n.turn + 1, s.wrapped FROM numbers n CROSS JOIN LATERAL (
    (SELECT number, n.wrapped FROM lanes
      WHERE ${ALLOWED} AND number > n.number AND (NOT n.wrapped OR number <= $8) ORDER BY number LIMIT 1)
    UNION ALL
    (SELECT number, true FROM lanes WHERE ${ALLOWED} AND NOT n.wrapped AND number <= $8 ORDER BY number LIMIT 1)
    ORDER BY wrapped LIMIT 1) s
  WHERE n.turn <= $1),${choosing(
    `
  SELECT l.*, n.turn, row_number() OVER (PARTITION BY n.number ORDER BY l.since, l.key) AS nth
  FROM numbers n CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM lanes WHERE ${READY} AND number = n.number ORDER BY since, key LIMIT ($1 + n.turn) / n.turn) l
  WHERE ${NONE_DUE}
  ORDER BY nth, turn LIMIT $1 + 1`,
    'false',
  )}`

/**
 * Begins an item in each lane that was chosen, in the same transaction. $1 the lanes, $2 their places, $3 those of their
 * items, $4 the end of the lease, $5 the owner, $6 the token.
 */
const BEGIN = `
WITH chosen AS MATERIALIZED (
  SELECT * FROM unnest($1::text[], $2::tid[], $3::tid[]) WITH ORDINALITY AS g(lane, place, item, n)),
begun AS (
  UPDATE items i SET state = 'running', attempts = attempts + 1 FROM chosen c WHERE i.ctid = c.item),
taken AS (
  UPDATE lanes l SET owner = $5, token = $6, ready_at = $4 FROM chosen c WHERE l.ctid = c.place)
SELECT e.lane, r.* FROM (
  SELECT c.n, c.lane, c.item, l.last_at, l.handled_at, l.sent_at FROM chosen c CROSS JOIN LATERAL (
    SELECT last_at, handled_at, sent_at FROM lanes WHERE lanes.ctid = c.place LIMIT 1) l) e
  CROSS JOIN LATERAL (${itemInLane('i.ctid = e.item')}) r
ORDER BY e.n`

interface BegunRow extends BegunItemRow {
  readonly lane: string
}
