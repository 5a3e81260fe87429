import { afterThisTurn } from '../../base/clock.ts'
import type { AnnouncementRow } from './store/announcement-rows.ts'
import { RECIPIENT_STATES, type RecipientRow, type RecipientState } from './store/recipients.ts'
import type { Store } from '../../store/store.ts'
import { Refused } from '../../admin/admin-http.ts'
import { announcementOf, CSV_HEAD, csvOf, recipientOf, reportOf } from './announcement-view.ts'
import { countAllReached, recipientPages } from './progress.ts'
import { remembered } from '../../admin/memory.ts'
import { limitIn, numberIn, oneOf, textIn, type ViewDeps } from '../../admin/query.ts'

const REACHED_MS = 10_000

export async function listAnnouncements(query: URLSearchParams, deps: ViewDeps) {
  const page = { limit: limitIn(query), after: numberIn(query, 'after'), number: textIn(query, 'number') }
  const { announcements, next } = await deps.desk.store.listAnnouncements(page)
  return {
    rows: announcements.map((row) => announcementOf(row, { reveal: deps.revealed })),
    ...(next !== undefined && { next: String(next) }),
  }
}

/** Shows an announcement with one page of its recipients: those in `state`, after the recipient `after`. */
export async function showAnnouncement(id: string, deps: ViewDeps, query: URLSearchParams) {
  const row = await findAnnouncement(/^\d{1,15}$/.test(id) ? Number(id) : 0, deps.desk.store)
  const { store, clock } = deps.desk
  const given = query.get('state')
  const after = query.get('after')
  const page = await store.listRecipients(row.id, {
    states: given === null ? undefined : [oneOf(given, RECIPIENT_STATES, 'state')],
    limit: limitIn(query),
    after: after === null ? '' : deps.handles.customerOf(after).customer,
  })
  // The page requests the counts every two seconds. Counting reads each recipient, so the counts are cached.
  const reached = () => remembered(deps, `reached ${row.id}`, REACHED_MS, () => countAllReached(store, row.id))
  return {
    ...(await reportOf(row, { reached, serviceNow: clock.service }, { reveal: deps.revealed })),
    reasons: await store.reasonsOf(row.id),
    recipients: shownRecipients(row, page.recipients, deps),
    // `page.next` is a customer's number, and no address may contain a number.
    ...(page.next !== undefined && { next: deps.handles.handleOf({ number: row.number, customer: page.next }) }),
  }
}

/** @throws Refused `not_found` */
export async function findAnnouncement(id: number, store: Pick<Store, 'announcement'>): Promise<AnnouncementRow> {
  const row = await store.announcement(id)
  if (row) return row
  throw new Refused('not_found', `The announcement ${id} does not exist.`)
}

/** Sorts masked rows by a token. Sorted by phone number, they would show which of two masked numbers is higher. */
function shownRecipients({ number }: AnnouncementRow, rows: readonly RecipientRow[], deps: ViewDeps) {
  const { revealed: reveal, handles } = deps
  const shown = rows.map((row) => ({ row, place: reveal ? '' : handles.tokenOf(row.customer) }))
  return shown
    .sort((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0))
    .map(({ row }) => ({
      ...recipientOf(row, { reveal }),
      ...(/^\d+$/.test(row.customer) && { handle: handles.handleOf({ number, customer: row.customer }) }),
    }))
}

export async function findRecipient(row: AnnouncementRow, customer: string, deps: ViewDeps) {
  const { recipients } = await deps.desk.store.listRecipients(row.id, { customer, limit: 1 })
  return shownRecipients(row, recipients, deps)
}

export async function* linesOfRecipients(
  row: AnnouncementRow,
  state: RecipientState | undefined,
  deps: ViewDeps,
): AsyncGenerator<string, undefined> {
  yield `${CSV_HEAD}\n`
  for await (const page of recipientPages(deps.desk.store, row.id, { state })) {
    yield shownRecipients(row, page, deps)
      .map((one) => `${csvOf(one)}\n`)
      .join('')
    await afterThisTurn()
  }
  return undefined
}
