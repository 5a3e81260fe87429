import type { AnnouncementRow } from './store/announcement-rows.ts'
import type { RecipientRow } from './store/recipients.ts'
import { iso } from '../../view/delivery-view.ts'
import { maskPhone } from '../../base/mask.ts'
import { countsOf, progressOf, type ProgressDeps } from './progress.ts'
import { lengthOf, maskDigits, type Reveal } from '../../view/mask.ts'

/** Returns an announcement as a person sees it, without the counts of statuses: `reportOf` has them. */
export function announcementOf(row: AnnouncementRow, { reveal }: Reveal) {
  const { id, number, state, reason } = row
  const key = keyOf(row)
  return {
    id,
    number,
    key: reveal ? key : maskDigits(key),
    state,
    reason: reveal || reason === undefined ? reason : maskDigits(reason),
    since: iso(row.since),
    perMinute: row.perHour / 60,
    ...countsOf(row),
    createdAt: iso(row.createdAt),
    endedAt: iso(row.endedAt),
  }
}

function keyOf({ name }: AnnouncementRow): string {
  const parts = JSON.parse(name) as unknown
  return Array.isArray(parts) ? parts.join(' ') : String(parts)
}

export async function reportOf(row: AnnouncementRow, deps: ProgressDeps, reveal: Reveal) {
  const { sent, delivered, read, failed, endsAbout } = await progressOf(row, deps)
  return { ...announcementOf(row, reveal), sent, delivered, read, failed, endsAbout: endsAbout?.toISOString() }
}

/** Without `reveal`, no digits and no columns of the app's list are shown. */
export function recipientOf({ customer, state, code, reason, at, vars }: RecipientRow, { reveal }: Reveal) {
  return {
    to: reveal ? customer : maskedRecipient(customer),
    state,
    reason: code ?? (reveal || reason === undefined ? reason : maskDigits(reason)),
    detail: code === undefined || !reveal ? undefined : reason,
    at: iso(at),
    columns: reveal && vars !== undefined ? (JSON.parse(vars) as Record<string, unknown>) : undefined,
  }
}

/** A recipient is a phone number, the hash of a forgotten customer, or an invalid text, which may be a name. */
function maskedRecipient(customer: string): string {
  if (/^\d+$/.test(customer)) return maskPhone(customer)
  return customer.startsWith('hash:') ? '[forgotten]' : lengthOf(customer)
}

const CSV_COLUMNS = ['to', 'state', 'reason', 'detail', 'at', 'columns'] as const

export const CSV_HEAD = csvLine(CSV_COLUMNS)

export function csvOf(recipient: ReturnType<typeof recipientOf>): string {
  return csvLine(CSV_COLUMNS.map((name) => recipient[name]))
}

/** A spreadsheet would read a cell that begins with `=` as a formula. A quote before it prevents that. */
export function csvLine(cells: readonly unknown[]): string {
  return cells
    .map((cell) => (typeof cell === 'string' ? cell : cell === undefined ? '' : JSON.stringify(cell)))
    .map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text))
    .map((text) => `"${text.replaceAll('"', '""')}"`)
    .join(',')
}
