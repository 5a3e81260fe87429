import { afterThisTurn } from '../../base/clock.ts'
import { inPortions } from '../../store/database/engine.ts'
import { afterOpenTime } from '../../bot/hours.ts'
import type { Store } from '../../store/store.ts'
import type { AnnouncementRow } from './store/announcement-rows.ts'
import type { RecipientRow, RecipientState } from './store/recipients.ts'

/** Counts recipients by state. It reads no statuses: `sent` includes messages that were delivered or failed later. */
export function countsOf({ total, sent, refused, doubtful, invalid, optedOut, silent, unknown }: AnnouncementRow) {
  const skipped = optedOut + silent
  const waiting = total - sent - refused - invalid - skipped - unknown
  return { total, waiting, doubtful, sent, failed: refused - doubtful + invalid, skipped, unknown }
}

type Reached = Readonly<Record<'delivered' | 'read' | 'failed', number>>

/** Counts the sent messages by their status: delivered, read or failed. Reads each recipient. */
export async function countAllReached(store: Pick<Store, 'countReached'>, id: number): Promise<Reached> {
  const sum = { delivered: 0, read: 0, failed: 0 }
  for await (const { counts } of inPortions('', (from) => store.countReached(id, from))) {
    for (const state of ['delivered', 'read', 'failed'] as const) sum[state] += counts[state]
    await afterThisTurn()
  }
  return sum
}

const NOBODY: Reached = { delivered: 0, read: 0, failed: 0 }

export interface ProgressDeps {
  readonly reached: () => Promise<Reached>
  readonly serviceNow: () => number
}

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
