import type { Claim, Claimed, DueSend, Fence, Held, SendSettlement, Via } from '../port/index.ts'
import type { Tx } from './group-commit.ts'
import { AT_ONCE, earliestLane, holdsLane, releaseLane, takeLanes } from './lanes.ts'
import { newerSchema } from './schema-version.ts'
import { headOfLane } from './send-rows.ts'
import { windowOf } from './windows.ts'

/** Takes lanes of sends that are due: see `Store.claimSends`. */
export function claimSends(tx: Tx, claim: Claim): Claimed<DueSend> {
  const newer = newerSchema(tx.sql)
  if (newer !== undefined) return { held: [], nextAt: undefined, newerSchema: newer }
  const held: Held<DueSend>[] = []
  for (const fence of takeLanes(tx, 'send', claim)) {
    const work = nextOrRelease(tx, fence.lane, claim.now, true)
    if (work) held.push({ fence, work })
  }
  return { held, nextAt: earliestLane(tx, 'send', claim, held) }
}

const BEGIN = `
  UPDATE sends SET state = 'attempting', via = ?, attempts = attempts + 1, attempting_since = ?,
    first_attempt_at = coalesce(first_attempt_at, ?)
  WHERE id = ?`

/** Commits that an attempt begins: see `Store.beginSend`. */
export function beginSend(tx: Tx, fence: Fence, send: string, via: Via, now: number): boolean {
  if (!holdsLane(tx, fence)) return false
  tx.sql(BEGIN).run(via, now, now, send)
  return true
}

/** Settles an attempt and goes on with its lane: see `Store.settleSend`. */
export function settleSend(
  tx: Tx,
  fence: Fence,
  send: string,
  settlement: SendSettlement,
  next: { now: number; goOn: boolean },
): { held: boolean; next: DueSend | undefined } {
  if (!holdsLane(tx, fence)) return { held: false, next: undefined }
  write(tx, send, settlement, next.now)
  const goOn = next.goOn && newerSchema(tx.sql) === undefined
  return { held: true, next: nextOrRelease(tx, fence.lane, next.now, goOn) }
}

const UNREAD = 'SELECT 1 FROM unsorted LIMIT 1'

function nextOrRelease(tx: Tx, lane: string, now: number, goOn: boolean): DueSend | undefined {
  const head = headOfLane(tx.sql, lane)
  if (!head || head.nextAt > now || !goOn) {
    releaseLane(tx, lane, head?.nextAt, now)
    if (head) tx.wake('sends')
    return undefined
  }
  return {
    send: head,
    lastInboundAt: windowOf(tx.sql, head.number, head.customer),
    unread: tx.sql(UNREAD).get() !== undefined,
  }
}

const ACCEPTED = `
  UPDATE sends SET state = 'accepted', message_id = ?, upstream_id = ?, possibly_twice = ?, code = NULL, reason = NULL,
    settled_at = ?
  WHERE id = ?`
const ENDED = 'UPDATE sends SET state = ?, code = ?, reason = ?, settled_at = ? WHERE id = ?'
const LATER = 'UPDATE sends SET state = ?, code = ?, reason = ?, next_at = ?, held_from = NULL WHERE id = ?'
const FALL_BACK = `
  UPDATE sends SET state = 'ready', via = 'template', attempts = 0, first_attempt_at = NULL, attempting_since = NULL,
    next_at = ?
  WHERE id = ?`

function write(tx: Tx, send: string, it: SendSettlement, now: number): void {
  switch (it.as) {
    case 'accepted':
      tx.sql(ACCEPTED).run(it.messageId, it.upstreamId ?? null, it.possiblyTwice ? 1 : 0, now, send)
      return
    case 'refused':
    case 'unknown':
      tx.sql(ENDED).run(it.as, it.code ?? null, it.reason, now, send)
      return
    case 'ready':
    case 'attempting':
    case 'held':
      tx.sql(LATER).run(it.as, it.code ?? null, it.reason, it.at, send)
      return
    case 'fall_back':
      tx.sql(FALL_BACK).run(AT_ONCE, send)
  }
}
