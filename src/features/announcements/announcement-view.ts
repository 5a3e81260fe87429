import { type AnnouncementProgress, progressOf } from './announcement.ts'
import type { AnnouncementRow } from './store/announcement-rows.ts'
import type { RecipientRow } from './store/recipients.ts'
import type { Store } from '../../store/store.ts'
import { iso } from '../../view/delivery-view.ts'
import { maskPhone } from '../../base/mask.ts'
import { lengthOf, maskDigits, type Reveal } from '../../view/mask.ts'

/** Returns an announcement as a person sees it. Its counts are cheap. The outcome of sent messages is in `reportOf`. */
export function announcementOf(row: AnnouncementRow, { reveal }: Reveal) {
  const { id, number, state, reason, total, sent, refused, doubtful, invalid, optedOut, takenOver, unknown } = row
  // The parts of the app's own key.
  const key = keyOf(row)
  const skipped = optedOut + takenOver
  return {
    id,
    number,
    key: reveal ? key : maskDigits(key),
    state,
    reason: reveal || reason === undefined ? reason : maskDigits(reason),
    since: iso(row.since),
    perMinute: row.perHour / 60,
    total,
    waiting: total - sent - refused - invalid - skipped - unknown,
    doubtful,
    sent,
    failed: refused - doubtful + invalid,
    skipped,
    unknown,
    createdAt: iso(row.createdAt),
    endedAt: iso(row.endedAt),
  }
}

function keyOf({ name }: AnnouncementRow): string {
  const parts = JSON.parse(name) as unknown
  return Array.isArray(parts) ? parts.join(' ') : String(parts)
}

export interface AnnouncementReportOf extends Omit<ReturnType<typeof announcementOf>, 'sent' | 'failed'> {
  readonly sent: number
  readonly delivered: number
  readonly read: number
  readonly failed: number
  readonly endsAbout: string | undefined
}

/** Adds the statuses that the service has reported since. It reads each recipient. */
export async function reportOf(
  row: AnnouncementRow,
  deps: { readonly store: Pick<Store, 'countReached'>; readonly serviceNow: () => number },
  reveal: Reveal,
): Promise<AnnouncementReportOf> {
  const progress: AnnouncementProgress = await progressOf(row, deps)
  const { sent, delivered, read, failed, endsAbout } = progress
  return { ...announcementOf(row, reveal), sent, delivered, read, failed, endsAbout: endsAbout?.toISOString() }
}

/** Describes a recipient. Without the right to see them: no digits, and no column of the app's list. */
export function recipientOf({ customer, state, code, reason, at, vars }: RecipientRow, { reveal }: Reveal) {
  return {
    to: reveal ? customer : maskedRecipient(customer),
    state,
    reason: code ?? (reveal || reason === undefined ? reason : maskDigits(reason)),
    detail: code === undefined || !reveal ? undefined : reason,
    at: iso(at),
    ...(reveal && vars !== undefined && { columns: JSON.parse(vars) as Record<string, unknown> }),
  }
}

/** Masks a recipient. A text that is no phone number may be a name. A forgotten customer has a hash. */
function maskedRecipient(customer: string): string {
  if (/^\d+$/.test(customer)) return maskPhone(customer)
  return customer.startsWith('hash:') ? '[forgotten]' : lengthOf(customer)
}

export const CSV_HEAD = ['to', 'state', 'reason', 'detail', 'at', 'columns']

/**
 * Returns a line of CSV. A program for tables reads a cell that begins with = as a formula: a quote before it prevents
 * that.
 */
export function csvLine(cells: readonly unknown[]): string {
  return cells
    .map((cell) => (typeof cell === 'string' ? cell : cell === undefined ? '' : JSON.stringify(cell)))
    .map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text))
    .map((text) => `"${text.replaceAll('"', '""')}"`)
    .join(',')
}
