import { afterThisTurn } from '../../base/clock.ts'
import type { AnnouncementRow } from './store/announcement-rows.ts'
import type { RecipientRow, RecipientState } from './store/recipients.ts'
import { inPortions } from '../../store/engine.ts'
import type { Store } from '../../store/store.ts'
import { afterOpenTime } from '../../store/rules/hours.ts'
import { iso } from '../../view/delivery-view.ts'
import { maskPhone } from '../../base/mask.ts'
import { lengthOf, maskDigits, type Reveal } from '../../view/mask.ts'

/** Returns an announcement as a person sees it. Its counts are cheap. The outcome of sent messages is in `reportOf`. */
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

/** Counts recipients by state. Recipients whom the service has reported as reached are still `sent`. */
function countsOf({ total, sent, refused, doubtful, invalid, optedOut, silent, unknown }: AnnouncementRow) {
  const skipped = optedOut + silent
  const waiting = total - sent - refused - invalid - skipped - unknown
  return { total, waiting, doubtful, sent, failed: refused - doubtful + invalid, skipped, unknown }
}

function keyOf({ name }: AnnouncementRow): string {
  const parts = JSON.parse(name) as unknown
  return Array.isArray(parts) ? parts.join(' ') : String(parts)
}

type Reached = Readonly<Record<'delivered' | 'read' | 'failed', number>>

/** Counts the recipients whom the service has reported as reached. It reads each recipient. */
export async function countAllReached(store: Pick<Store, 'countReached'>, id: number): Promise<Reached> {
  const sum = { delivered: 0, read: 0, failed: 0 }
  for await (const { counts } of inPortions('', (from) => store.countReached(id, from))) {
    for (const state of ['delivered', 'read', 'failed'] as const) sum[state] += counts[state]
    await afterThisTurn()
  }
  return sum
}

const NOBODY: Reached = { delivered: 0, read: 0, failed: 0 }

interface ProgressDeps {
  readonly reached: () => Promise<Reached>
  readonly serviceNow: () => number
}

/** Returns how far an announcement is, with the statuses that the service has reported since. */
export async function progressOf(row: AnnouncementRow, { reached, serviceNow }: ProgressDeps) {
  const { delivered, read, failed } = row.sent > 0 ? await reached() : NOBODY
  const counts = countsOf(row)
  const { state, reason } = row
  return {
    ...counts,
    sent: counts.sent - delivered - read - failed,
    delivered,
    read,
    failed: counts.failed + failed,
    state: state === 'storing' ? 'running' : state,
    reason,
    endsAbout: state === 'running' ? new Date(endOf(row, counts.waiting, serviceNow())) : undefined,
  } as const
}

const HOUR_MS = 3_600_000

function endOf({ hours, perHour, nextAt }: AnnouncementRow, waiting: number, now: number): number {
  const from = Math.max(now, nextAt)
  const span = Math.ceil((waiting * HOUR_MS) / perHour)
  const [zone] = hours?.zones ?? []
  return hours && zone !== undefined ? afterOpenTime(hours, zone, from, span) : from + span
}

/** Returns the progress as a person sees it. */
export async function reportOf(row: AnnouncementRow, deps: ProgressDeps, reveal: Reveal) {
  const { sent, delivered, read, failed, endsAbout } = await progressOf(row, deps)
  return { ...announcementOf(row, reveal), sent, delivered, read, failed, endsAbout: endsAbout?.toISOString() }
}

const PAGE = 500

/** Reads recipients page by page, in the order of their digits. */
export async function* recipientPages(
  store: Pick<Store, 'listRecipients'>,
  id: number,
  {
    state,
    after = '',
    limit = Infinity,
  }: { state?: RecipientState | undefined; after?: string; limit?: number | undefined },
): AsyncGenerator<readonly RecipientRow[], undefined> {
  const states = state === undefined ? undefined : [state]
  let left = limit
  if (left <= 0) return undefined
  const pages = inPortions(after, (from) =>
    store.listRecipients(id, { states, after: from, limit: Math.min(PAGE, left) }),
  )
  for await (const { recipients } of pages) {
    yield recipients
    left -= recipients.length
    if (left <= 0) break
  }
  return undefined
}

/** Describes a recipient. Without the right to see them: no digits, and no column of the app's list. */
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

/** Masks a recipient. A text that is no phone number may be a name. A forgotten customer has a hash. */
function maskedRecipient(customer: string): string {
  if (/^\d+$/.test(customer)) return maskPhone(customer)
  return customer.startsWith('hash:') ? '[forgotten]' : lengthOf(customer)
}

const CSV_COLUMNS = ['to', 'state', 'reason', 'detail', 'at', 'columns'] as const

export const CSV_HEAD = csvLine(CSV_COLUMNS)

export function csvOf(recipient: ReturnType<typeof recipientOf>): string {
  return csvLine(CSV_COLUMNS.map((name) => recipient[name]))
}

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
