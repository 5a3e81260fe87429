import type { Pruning } from '../port/index.ts'
import type { Tx } from './group-commit.ts'
import { pruneSessions } from '../operations/sessions.ts'
import { pruneStrays } from './statuses.ts'

// Sends under keys of the app's own belong to no delivery; a reply goes with the delivery that it answers.
const OF_APP = `
  DELETE FROM sends WHERE seq IN (
    SELECT seq FROM sends
    WHERE cause = 'app' AND settled_at IS NOT NULL AND settled_at < ? AND state <> 'unknown' ORDER BY settled_at LIMIT ?
  ) RETURNING id, message_id, upstream_id`

interface Gone {
  readonly id: string
  readonly message_id: string | null
  readonly upstream_id: string | null
}

const REMOVE_STATUSES = 'DELETE FROM statuses WHERE message IN (?, ?)'
const REMOVE_REACHED = 'DELETE FROM reached WHERE message = ?'

/** Removes what was recorded about a send that is gone: its statuses, and which item told of them. */
export function removeTraces(tx: Tx, { id, message_id: messageId, upstream_id: upstreamId }: Gone): void {
  tx.sql(REMOVE_STATUSES).run(messageId ?? '', upstreamId ?? '')
  tx.sql(REMOVE_REACHED).run(id)
}

// A window that closed so long ago says no more than none; a mute that has ended is kept against a BOT that comes late.
const WINDOWS = `
  DELETE FROM windows WHERE (number, customer) IN (SELECT number, customer FROM windows WHERE moved_at < ? LIMIT ?)`
const MUTES = `
  DELETE FROM mutes WHERE (number, customer) IN (SELECT number, customer FROM mutes WHERE until < ? LIMIT ?)`

/** Removes what belongs to customers and not to deliveries, by the age of ids; says whether there may be more. */
export function pruneSends(tx: Tx, { idsBefore, now, limit }: Pruning): boolean {
  const gone = tx.sql(OF_APP).all(idsBefore, limit) as Gone[]
  for (const send of gone) removeTraces(tx, send)
  const counts = [
    gone.length,
    pruneStrays(tx, now, limit),
    tx.sql(WINDOWS).run(idsBefore, limit).changes,
    tx.sql(MUTES).run(idsBefore, limit).changes,
    tx.drive(pruneSessions(idsBefore, limit)),
  ]
  return counts.some((count) => count >= limit)
}
