import { csvAnswer, Refused } from '../../admin/admin-http.ts'
import type { Visitor } from '../../admin/door.ts'
import type { ActDeps, AdminPart, ReadyAct, RouteDeps } from '../../admin/part.ts'
import type { ViewDeps } from '../../admin/query.ts'
import { recorded } from '../../admin/record.ts'
import { checkScope, onlyOne } from '../../admin/scope.ts'
import { customerIn, describeSearch } from '../../admin/search.ts'
import { maskDigits } from '../../view/mask.ts'
import type { FoundRecipients } from './announcement-api.ts'
import type { Asked, AskedChange, AskedRetry } from './announcement-requests.ts'
import { announcementOf } from './announcement-view.ts'
import {
  findAnnouncement,
  findRecipient,
  linesOfRecipients,
  listAnnouncements,
  showAnnouncement,
} from './announcements-view.ts'

const MOST_PAUSED = 20

export const adminPart = {
  list: listAnnouncements,
  show: showAnnouncement,
  row: 'announcement',
  posts: { export: exportRecipients, recipient: searchRecipient },
  acts: { announcement: change, retry_announcement: retry },
  right: { isGiven: (visitor) => visitor.mayAnnounce(), what: 'change announcements' },
  async health({ desk: { store } }: ViewDeps) {
    const paused = await store.pausedByError(MOST_PAUSED)
    return { pausedByError: paused.map((row) => announcementOf(row, { reveal: false })) }
  },
} satisfies AdminPart

async function change({ announcement: id, to }: AskedChange, { desk: { store } }: ActDeps): Promise<ReadyAct> {
  const found = await findAnnouncement(id, store)
  return {
    what: `announcement ${id} to ${to}`,
    numbers: [found.number],
    async run() {
      if (await store.changeAnnouncement(id, to, { now: store.clock() })) return { count: 1, untouched: [] }
      throw new Refused('not_possible', `The announcement is ${found.state}.`)
    },
  }
}

async function retry(
  { announcement: id, reasons, failedLater }: AskedRetry,
  { desk: { store } }: ActDeps,
): Promise<ReadyAct> {
  const { number, state } = await findAnnouncement(id, store)
  const which = [...(reasons ?? []).map(maskDigits), ...(failedLater ? ['failed later'] : [])]
  return {
    what: `announcement ${id}${which.length === 0 ? '' : `: ${which.join(', ')}`}`,
    numbers: [number],
    async run() {
      if (state === 'cancelled') throw new Refused('not_possible', 'The announcement is cancelled.')
      return { count: await store.retryRecipients(id, { reasons, failedLater }), untouched: [] }
    },
  }
}

async function exportRecipients(
  { announcement: id, state, reveal: revealed }: Asked<'export'>,
  visitor: Visitor,
  deps: RouteDeps,
): Promise<Response> {
  if (revealed && !(await visitor.mayReveal())) throw new Refused('not_revealed', 'You may not reveal it.')
  const row = await findAnnouncement(id, deps.desk.store)
  checkScope([row.number], visitor.scope)
  const answer = async () => csvAnswer(linesOfRecipients(row, state, { ...deps, revealed }), `announcement-${id}.csv`)
  if (!revealed) return answer()
  const what = `announcement ${id}${state === undefined ? '' : `, ${state}`}`
  return recorded({ who: visitor.who, act: 'export', what, number: row.number }, deps.desk, answer, () => 1)
}

/** A search is recorded. It is a POST, so that no address contains a customer's number. */
async function searchRecipient(
  { announcement: id, text }: Asked<'recipient'>,
  visitor: Visitor,
  deps: RouteDeps,
): Promise<FoundRecipients> {
  const { who, scope } = visitor
  const mayReveal = await visitor.mayReveal()
  const search = async () => {
    if (!mayReveal) throw new Refused('not_revealed', 'You may not search by a number.')
    const row = await findAnnouncement(id, deps.desk.store)
    checkScope([row.number], scope)
    const written = customerIn(text.trim())
    const customer = written && deps.desk.sameCustomer.of(written)
    return {
      recipients: customer === undefined ? [] : await findRecipient(row, customer, { ...deps, revealed: false }),
    }
  }
  const asked = { who, act: 'search', what: describeSearch(text.trim()), number: onlyOne(scope) }
  return recorded(asked, deps.desk, search, ({ recipients }) => recipients.length)
}
