import type { Tx } from './group-commit.ts'

/** No send waits longer for its next attempt, and no queue stays closed for longer without being asked. */
const LONGEST_WAIT_MS = 70_000

const QUEUES = 'UPDATE queues SET closed_until = 1 WHERE closed_until > ?'
const WAITING = "SELECT key FROM lanes WHERE kind = 'send' AND owner IS NULL AND ready_at > ?"
const SENDS = 'UPDATE sends SET next_at = 0 WHERE lane = ? AND settled_at IS NULL'
const LANES = 'UPDATE lanes SET ready_at = 0 WHERE key = ?'

/** What waits for a time that only a clock which has gone back since can have set goes on now. */
export function endAbsurdWaits(tx: Tx, now: number): void {
  const latest = now + LONGEST_WAIT_MS
  const lanes = tx.sql(WAITING).all(latest) as { key: string }[]
  for (const { key } of lanes) {
    tx.sql(SENDS).run(key)
    tx.sql(LANES).run(key)
  }
  if (tx.sql(QUEUES).run(latest).changes + lanes.length > 0) tx.wake('sends')
}

/** A clock of now lets no lane go so far ahead; less is not worth the difference. */
const AHEAD_MS = 60_000

const LET_GO_LATER = `
  SELECT key, since FROM lanes WHERE kind = 'item' AND ready_at > ? AND since > ? AND owner IS NULL`
const ITEMS = 'UPDATE items SET ready_at = ready_at - ? WHERE lane = ? AND settled_at IS NULL AND ready_at > ?'
const LANE = `
  UPDATE lanes SET ready_at = ready_at - ?, holds_until = max(0, holds_until - ?), since = ? WHERE key = ?`

/**
 * The same for items, whose wait may be the app's own and of any length: where their lane was let go by a clock that has
 * gone back since, they wait as long as was meant, by the clock of now.
 */
export function shortenWaits(tx: Tx, now: number): void {
  const ahead = now + AHEAD_MS
  const lanes = tx.sql(LET_GO_LATER).all(ahead, ahead) as { key: string; since: number }[]
  for (const { key, since } of lanes) {
    const back = since - now
    tx.sql(ITEMS).run(back, key, ahead)
    tx.sql(LANE).run(back, back, now, key)
  }
  if (lanes.length > 0) tx.wake('items')
}
