import { announcementOf } from '../inspect/announcement-view.ts'
import { limitIn, numberIn, type ViewDeps } from '../query.ts'

export async function listAnnouncements(query: URLSearchParams, deps: ViewDeps) {
  const page = { limit: limitIn(query), after: numberIn(query, 'after') }
  const { announcements, next } = await deps.desk.store.listAnnouncements(page)
  return {
    rows: announcements.map((row) => announcementOf(row, { reveal: deps.revealed })),
    ...(next !== undefined && { next: String(next) }),
  }
}
