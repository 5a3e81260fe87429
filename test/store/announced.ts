import type { NewAnnouncement } from '../../src/features/announcements/store/announcement-rows.ts'
import type { Store } from '../../src/store/store.ts'
import { T0 } from './samples.ts'

export const NEWS: NewAnnouncement = {
  number: 'default',
  name: '["sale",7]',
  content: '{"type":"text","text":"News"}',
  outsideWindow: undefined,
  hours: undefined,
  perHour: 60,
  dueAt: T0,
  createdAt: T0,
}

/** A running announcement, whose recipients may have the columns of a row; its id. */
export async function announced(
  store: Store,
  customers: readonly string[],
  given: Partial<NewAnnouncement> = {},
  columns?: (customer: string) => object,
): Promise<number> {
  const { announcement } = await store.openAnnouncement({ ...NEWS, ...given })
  const rows = customers.map((customer) => ({ customer, ...(columns && { vars: JSON.stringify(columns(customer)) }) }))
  await store.addRecipients(announcement.id, rows, T0)
  await store.startAnnouncement(announcement.id, T0)
  return announcement.id
}
