import { iso } from '../inspect/delivery-view.ts'
import { maskDigits } from '../inspect/mask.ts'
import type { AnnouncementRow } from '../../store/announcements.ts'
import { limitIn, numberIn, type ViewDeps } from '../query.ts'

export async function listAnnouncements(query: URLSearchParams, deps: ViewDeps) {
  const page = { limit: limitIn(query), after: numberIn(query, 'after') }
  const { announcements, next } = await deps.desk.store.listAnnouncements(page)
  return {
    rows: announcements.map((row) => summaryOf(row, deps)),
    ...(next !== undefined && { next: String(next) }),
  }
}

function summaryOf(row: AnnouncementRow, { revealed }: ViewDeps) {
  const { id, number, state, reason, total, sent, refused, doubtful, invalid, optedOut, takenOver, unknown } = row
  // The parts of the app's own key.
  const key = (JSON.parse(row.name) as string[]).join(' ')
  return {
    id,
    number,
    key: revealed ? key : maskDigits(key),
    state,
    reason,
    perMinute: row.perHour / 60,
    total,
    sent,
    doubtful,
    failed: refused - doubtful + invalid,
    unknown,
    optedOut,
    takenOver,
    waiting: total - sent - refused - invalid - optedOut - takenOver - unknown,
    createdAt: iso(row.createdAt),
    endedAt: iso(row.endedAt),
  }
}
