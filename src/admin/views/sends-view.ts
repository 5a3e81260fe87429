import { reasonFor } from '../../view/send-states.ts'
import { canCancel, detailsOf, summaryOf } from '../../view/send-view.ts'
import { resolutionsOf } from '../../store/outbox/send-resolutions.ts'
import { Refused } from '../admin-http.ts'
import { limitIn, lowerEnd, nextPage, numberIn, oneOf, textIn, type ViewDeps } from '../query.ts'
import { type SendRow, SEND_STATES } from '../../store/database/outbox-tables.ts'

/** `GET api/sends`. Filters: `state`, `number`. The rows of `state=scheduled` are ordered by their due times. */
export async function listSends(query: URLSearchParams, deps: ViewDeps) {
  const { desk } = deps
  const limit = limitIn(query)
  const number = textIn(query, 'number')
  const given = query.get('state')
  const state = given === null ? undefined : oneOf(given, SEND_STATES, 'state')
  if (state === 'scheduled') return listScheduled(query, limit, number, deps)
  const after = numberIn(query, 'after')
  const hasIndex = state !== undefined && state !== 'accepted'
  const newest = async () => (await desk.store.overview()).newest.sends
  const newerThan = hasIndex ? 0 : await lowerEnd(after, newest)
  const { sends, next } = await desk.store.listSends({ state, number, limit, newerThan, after })
  return { rows: sends.map((send) => sendSummary(send, deps)), ...nextPage(next, newerThan) }
}

async function listScheduled(query: URLSearchParams, limit: number, number: string | undefined, deps: ViewDeps) {
  const sends = await deps.desk.store.scheduledSends({ number, limit, after: cursorIn(query) })
  const last = sends.length < limit ? undefined : sends.at(-1)
  return { rows: sends.map((send) => sendSummary(send, deps)), ...(last && { next: `${last.dueAt}/${last.id}` }) }
}

function cursorIn(query: URLSearchParams): { dueAt: number; id: string } | undefined {
  const cursor = query.get('after')
  if (cursor === null) return undefined
  const [, dueAt, id] = /^(\d{1,15})\/(.+)$/.exec(cursor) ?? []
  if (id === undefined) throw new Refused('invalid', 'after: expected the cursor of this list')
  return { dueAt: Number(dueAt), id }
}

export async function showSend(id: string, deps: ViewDeps) {
  const { store, clock } = deps.desk
  const send = await store.findSend({ id })
  if (!send) throw new Refused('not_found', `The send ${JSON.stringify(id)} does not exist.`)
  const now = clock.wall()
  const throttle = (await store.closedThrottles(now)).find(({ number }) => number === send.number)
  return {
    ...detailsOf(send, await store.statusesOf(send), now, { reveal: deps.revealed }),
    ...aboutOf(send, deps),
    why: reasonFor(send, throttle),
    delivery: send.delivery,
  }
}

export function sendSummary(send: SendRow, deps: ViewDeps) {
  return { ...summaryOf(send, deps.desk.clock.wall(), { reveal: deps.revealed }), ...aboutOf(send, deps) }
}

function aboutOf(send: SendRow, { handles }: ViewDeps) {
  return { handle: handles.handleOf(send), possible: [...resolutionsOf(send), ...(canCancel(send) ? ['cancel'] : [])] }
}
