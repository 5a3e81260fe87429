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
