import { type Claim, type Fence, type Held, type LaneKind, numberOf } from '../../port/index.ts'
import { SUSPICIOUS_ATTEMPTS } from '../../rules/items.ts'
import { OPEN as THROTTLE_OPEN } from '../../rules/sends.ts'
import { all, one, type Query, run, sql, type Steps, type Tx, when } from '../steps.ts'
import { newFence } from './lanes.ts'
import { readyLanes } from './numbers-waiting.ts'

/** A lane that was taken. `again`: something in it has begun before, and was interrupted or failed and blocks it. */
export interface Taken {
  readonly fence: Fence
  readonly again: boolean
}

interface Ready {
  readonly key: string
  readonly owner: string | null
  readonly blocked_until: number
  /** 1 if a suspect waits in it. */
  readonly suspicious?: number
}

/**
 * Takes lanes that are ready, or whose lease has expired. The claimer's own lanes are left out: they run on, even if
 * the process stood still for longer than a lease. `more`: others are ready.
 */
export function* takeLanes(
  tx: Pick<Tx, 'waitedMs'>,
  kind: LaneKind,
  claim: Claim,
): Steps<{ taken: Taken[]; more: boolean }> {
  const { now, limit, owner, room } = claim
  yield* comeDue(kind, claim)
  const taken: Taken[] = []
  // One more than fits tells if that is all.
  const asked = { ...claim, limit: limit + 1 }
  const ready = kind === 'send' ? yield* readyToSend(asked) : yield* readyToHandle(asked)
  for (const { key, ...before } of ready.slice(0, limit)) {
    if (room?.take(numberOf(key)) === false) continue
    const fence = newFence(key, owner)
    yield* run(sql`
      UPDATE lanes SET owner = ${owner}, token = ${fence.token}, ready_at = ${now + tx.waitedMs + claim.leaseMs}
      WHERE key = ${key}`)
    // If a back-off blocked the lane, or its holder is gone, something in it has begun before.
    taken.push({ fence, again: before.owner !== null || before.blocked_until > 0 })
  }
  return { taken, more: ready.length > taken.length }
}

/** The value of `blocked_until` once a block is over: not 0, since something in the lane has begun before. */
const BLOCK_OVER = 1

/** Lanes that have come due, and what waits in them, stay due, although the clock may go back. */
function* comeDue(kind: LaneKind, claim: Claim): Steps<void> {
  const { now } = claim
  // A lane that comes due is ordered by its due time, not by now; otherwise it starves behind busy lanes.
  const due = yield* run(sql`
    UPDATE lanes SET ready_at = 0, since = ready_at, blocked_until = least(blocked_until, ${BLOCK_OVER})
    WHERE kind = ${kind} AND ready_at > 0 AND ready_at <= ${now} AND key NOT IN list(${inHand(claim)})`)
  if (due === 0) return
  yield* run(
    kind === 'item'
      ? sql`UPDATE items SET ready_at = 0 WHERE settled_at IS NULL AND ready_at > 0 AND ready_at <= ${now}`
      : sql`UPDATE sends SET next_at = 0 WHERE settled_at IS NULL AND next_at > 0 AND next_at <= ${now}`,
  )
}

// Another process, which read its clock later, may have found the lane due; by this process's clock its item is not
// ready yet, and the item behind it would be begun.
const UNBLOCKED = (now: number) => sql`AND blocked_until <= ${now}`

/** Something in the lane has begun before. */
const AGAIN = sql`(owner IS NOT NULL OR blocked_until > 0)`

/** SQL condition for lanes in which a suspect waits: see the rule `isSuspect`. */
const SUSPICIOUS = sql`${AGAIN} AND (
  SELECT 1 FROM items i
  WHERE i.lane = lanes.key AND i.settled_at IS NULL AND i.state = 'running' AND i.attempts >= ${SUSPICIOUS_ATTEMPTS}
  LIMIT 1) IS NOT NULL`

/**
 * Suspects begin one at a time, so at most one of their lanes is taken. The others are left as they are: after an outage
 * there may be hundreds, and what waits behind them goes on.
 */
function* readyToHandle(claim: Claim): Steps<readonly Ready[]> {
  const unblocked = UNBLOCKED(claim.now)
  const ready = yield* inTurns('item', claim, unblocked)
  if (claim.suspects === undefined) return ready
  const wanted = claim.suspects ? ready.find(({ suspicious }) => suspicious === 1) : undefined
  if (ready.every((lane) => lane.suspicious === 0 || lane === wanted)) return ready
  const others = yield* inTurns('item', claim, sql`${unblocked} AND NOT (${SUSPICIOUS})`)
  return wanted ? [wanted, ...others] : others
}

/**
 * The lanes that a claim takes, as numbers have their turns: of each number the lane that waits longest, then of each
 * the next, and so on, so that a number with thousands of lanes delays another one by a turn. Each number is one
 * statement, and no more of its lanes are read than it may get.
 */
function* inTurns(kind: LaneKind, claim: Claim, condition: Query, numbers: Query = sql``): Steps<readonly Ready[]> {
  const { limit, after, holding = [] } = claim
  const lanes = sql`
    ${readyLanes(kind)} ${condition} ${when(holding.length > 0, () => sql`AND key NOT IN list(${inHand(claim)})`)}`
  const allowed = sql`${lanes} ${numbers} ${withRoom(claim)}`
  const turns: (readonly Ready[])[] = []
  let wraps = after !== undefined
  for (let range: Range = { after }; turns.length < limit; ) {
    const most = Math.ceil(limit / (turns.length + 1))
    const ready = yield* all<ReadyOfNumber>(firstOf(range, { lanes, allowed, most }))
    const [first] = ready
    if (first) turns.push(ready)
    if (first?.others) range = { ...range, after: first.number }
    else if (wraps) range = { upTo: after }
    else break
    if (!first?.others) wraps = false
  }
  return interleaved(turns).slice(0, limit)
}

function withRoom({ room }: Claim): Query {
  const full = room?.full?.() ?? []
  return when(full.length > 0, () => sql`AND number NOT IN list(${JSON.stringify(full)})`)
}

interface Range {
  readonly after?: string | undefined
  readonly upTo?: string | undefined
}

interface ReadyOfNumber extends Ready {
  readonly number: string
  readonly others: number
}

function firstOf({ after, upTo }: Range, o: { lanes: Query; allowed: Query; most: number }): Query {
  const within = sql`
    ${o.allowed} ${when(after !== undefined, () => sql`AND number > ${after}`)}
    ${when(upTo !== undefined, () => sql`AND number <= ${upTo}`)}`
  const first = sql`(SELECT number FROM lanes WHERE ${within} ORDER BY number LIMIT 1)`
  return sql`
    SELECT key, owner, blocked_until, number, CASE WHEN ${SUSPICIOUS} THEN 1 ELSE 0 END AS suspicious, EXISTS (SELECT 1 FROM lanes WHERE ${within} AND number > ${first}) AS others
    FROM lanes WHERE ${o.lanes} AND number = ${first} ORDER BY since, key LIMIT ${o.most}`
}

/** The first of each list, then the second of each, and so on. */
function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, nth) => lists.flatMap((list) => list.slice(nth, nth + 1))).flat()
}

/**
 * Nothing goes out from a number whose throttle is closed. After its pause one send does, as a probe: one whose outcome
 * is unknown already goes first, since each send that probes in an outage may end as unknown.
 */
function* readyToSend(claim: Claim): Steps<readonly Ready[]> {
  const { now, limit } = claim
  const closed = yield* one(sql`SELECT 1 FROM throttles WHERE closed_until > ${THROTTLE_OPEN} LIMIT 1`)
  if (!closed) return yield* inTurns('send', claim, sql``)
  const probes = yield* all<Ready>(sql`
    SELECT key, owner, blocked_until FROM lanes WHERE key IN (
      SELECT (
        SELECT key FROM lanes
        WHERE ${readyLanes('send')} AND number = t.number AND key NOT IN list(${inHand(claim)})
        ORDER BY CASE WHEN (
          SELECT state FROM sends
          WHERE lane = lanes.key AND settled_at IS NULL AND held_from IS NULL AND state <> 'scheduled'
          ORDER BY seq LIMIT 1) = 'attempting' THEN 0 ELSE 1 END, since, key LIMIT 1)
      FROM throttles t WHERE closed_until > ${THROTTLE_OPEN} AND closed_until <= ${now} ${withRoom(claim)})
    LIMIT ${limit}`)
  const open = sql`AND number NOT IN (SELECT number FROM throttles WHERE closed_until > ${THROTTLE_OPEN})`
  const others = yield* inTurns('send', { ...claim, limit: limit - probes.length }, sql``, open)
  return [...probes, ...others]
}

function inHand({ holding = [] }: Pick<Claim, 'holding'>, held: readonly Held<unknown>[] = []): string {
  return JSON.stringify([...holding, ...held.map(({ fence }) => fence.lane)])
}

/**
 * The time at which the next lane is ready that the claimer does not hold, after a claim that took all which were ready;
 * undefined if none waits. Lanes for which their number has no room are passed over: they are looked for when it has.
 */
export function* nextLaneAt(kind: LaneKind, claim: Claim, held: readonly Held<unknown>[]): Steps<number | undefined> {
  const later = sql`
    SELECT min(ready_at) AS at FROM lanes
    WHERE kind = ${kind} AND ready_at > 0 AND key NOT IN list(${inHand(claim, held)})`
  const row = yield* one<{ at: number | null }>(
    kind === 'send'
      ? sql`
        SELECT min(at) AS at FROM (
          ${later}
          UNION ALL
          SELECT min(closed_until) FROM throttles t WHERE closed_until > ${claim.now}
            AND EXISTS (SELECT 1 FROM lanes WHERE ${readyLanes('send')} AND number = t.number)) AS next`
      : later,
  )
  return row?.at ?? undefined
}
