import type { NewAnnouncement } from '../../../src/features/announcements/store/announcement-rows.ts'
import type { Store } from '../../../src/store/store.ts'

export const NEWS: NewAnnouncement = {
  number: 'default',
  name: '["sale",7]',
  content: '{"type":"text","text":"News"}',
  outsideWindow: undefined,
  hours: undefined,
  perHour: 3_600,
  dueAt: 0,
  createdAt: Date.parse('2026-03-04T09:00:00Z'),
}

/** A running announcement; its id. */
export async function announced(
  store: Store,
  customers: readonly string[],
  given: Partial<NewAnnouncement> = {},
): Promise<number> {
  const { announcement } = await store.openAnnouncement({ ...NEWS, ...given })
  const rows = customers.map((customer) => ({ customer, vars: JSON.stringify({ name: `=${customer}` }) }))
  await store.addRecipients(announcement.id, rows, NEWS.createdAt)
  await store.startAnnouncement(announcement.id, NEWS.createdAt)
  return announcement.id
}
