import { type Query, sql } from '../../../store/database/sql.ts'
import { allTogether, exists } from '../../../store/database/steps.ts'
import { work } from '../../../store/database/inbox-tables.ts'
import { sends } from '../../../store/database/outbox-tables.ts'
import { removeSends } from '../../../store/maintenance/removal.ts'
import { afterKey, eachSideBySide, oldOr0, type Search } from '../../../store/database/search.ts'
import { conversationsRemoved } from './conversation-rows.ts'
import { conversations } from './conversation-tables.ts'

/**
 * The condition for removing a conversation. It ended before `before`, or it is `entering` since then and its item has
 * no work row any more. None of its sends is open, unknown or settled after `before`.
 */
function isOldConversation(before: number): Query {
  return sql`(
      (v.state = 'ended' AND v.ended_at < ${before})
      OR (v.state = 'entering' AND v.opened_at < ${before} AND NOT EXISTS (SELECT 1 FROM ${work} w WHERE w.item = v.item))
    ) AND NOT EXISTS (
      SELECT 1 FROM ${sends} s
      WHERE s.cause = v.id AND s.number = v.number
        AND (s.settled_at IS NULL OR s.state = 'unknown' OR s.settled_at >= ${before}))`
}

export const OLD_CONVERSATIONS: Search = {
  key: ['id'],
  rows: (before, at) => sql`
    SELECT v.id, v.number, ${oldOr0(isOldConversation(before))} FROM ${conversations} v WHERE true ${afterKey(sql`v.id`, at)}`,
  remove: eachSideBySide(function* ({ id, number }, before) {
    if (!(yield* exists(sql`SELECT 1 FROM ${conversations} v WHERE v.id = ${id} AND ${isOldConversation(before)}`)))
      return
    yield* removeSends(sql`cause = ${id} AND number = ${number}`)
    yield* allTogether(...conversationsRemoved(sql`id = ${id}`))
  }),
}
