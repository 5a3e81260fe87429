import { maskPhone } from '../../../base/mask.ts'
import { windowAt } from '../../../bot/outbox/window.ts'
import type { KeptFacts } from '../../../bot/inbox/read-delivery.ts'
import { withEllipsis } from '../../../service/long-text.ts'
import { iso } from '../../../view/delivery-view.ts'
import type { PersonRow } from '../store/queue.ts'
import type { Before } from '../store/chat.ts'
import { isInForce } from '../../../store/database/silence.ts'
import { isByPerson } from '../../../store/outbox/send-rules.ts'
import type { ResultOf } from '../../../store/store.ts'
import { Refused } from '../../../admin/admin-http.ts'
import type { PageDeps } from '../../../admin/page-host.ts'
import { chatLines, lineOfMessage, lineOfSend, type Showing } from './chat-lines.ts'
import type { Chat, Line, Present, QueueRow } from './desk-api.ts'
import type { CustomerOfNumber } from '../../../store/database/customer-tables.ts'

/** A row from the store. `showRow` makes what a person sees. */
export interface LoadedRow {
  readonly row: PersonRow
  readonly last: ResultOf<'latestLines'>[number] | undefined
}

export interface LoadedChat {
  readonly row: LoadedRow
  readonly chat: ResultOf<'chatOf'>
  readonly customer: ResultOf<'customerOf'>
  readonly optedOutAt: number | undefined
}

type PresentOf = (who: CustomerOfNumber) => readonly Present[]

export async function loadRows(
  rows: readonly PersonRow[],
  { desk: { store } }: PageDeps,
): Promise<readonly LoadedRow[]> {
  if (rows.length === 0) return []
  // The result has the order of `rows`.
  const latest = await store.latestLines(rows)
  return rows.map((row, nth) => ({ row, last: latest[nth] }))
}

/** Returns an id that reveals nothing about the customer. All processes of a database make the same id. */
export function idOf(who: CustomerOfNumber, { handles }: Pick<PageDeps, 'handles'>): string {
  return handles.steadyOf(who).id
}

export function showRow({ row, last }: LoadedRow, revealed: boolean, presentOf: PresentOf, deps: PageDeps): QueueRow {
  const { clock } = deps.desk
  const now = clock.service()
  const isTaken = row.takenBy !== undefined && (row.takenUntil ?? 0) > now
  const isDue = row.state === 'snoozed' && (row.until ?? 0) <= now
  const state = isDue ? 'waiting' : row.state
  const waits = state === 'waiting' || state === 'snoozed'
  const { id, handle } = deps.handles.steadyOf(row)
  return {
    id,
    customer: handle,
    number: row.number,
    phone: revealed ? row.customer : maskPhone(row.customer),
    name: revealed ? nameIn(last?.message?.facts) : undefined,
    state,
    since: waits ? iso(row.since) : undefined,
    why: waits ? row.why : undefined,
    until: state === 'snoozed' ? iso(row.until) : undefined,
    bot: isTaken ? 'rests' : 'answers',
    restsUntil: isTaken ? iso(row.takenUntil) : undefined,
    assignee: row.assignee,
    endedBy: waits ? undefined : row.endedBy,
    last: lastOf(last, waits, { revealed, offset: clock.offset }),
    unread: row.unread,
    present: presentOf(row),
  }
}

/** How many characters of the last message are shown, because a row of the list has one line. */
const LAST_SHOWN = 160

/** Returns the last line. For a waiting customer it is their own last message, even if the bot has replied to it. */
function lastOf(last: LoadedRow['last'], waits: boolean, showing: Showing): QueueRow['last'] {
  const { message, send } = last ?? {}
  const isNewer = send !== undefined && (send.settledAt ?? 0) > (message?.receivedAt ?? 0)
  const isOurs = isNewer && (!waits || !message || isByPerson(send))
  const line: Line | undefined = isOurs ? lineOfSend(send, [], showing) : message && lineOfMessage(message, showing)
  if (!line) return undefined
  const { by, who, kind, text, at } = line
  return { by, who, kind, text: text && withEllipsis(text, LAST_SHOWN), at }
}

export function nameIn(facts: string | undefined): string | undefined {
  if (facts === undefined) return undefined
  return (JSON.parse(facts) as KeptFacts).values.name
}

const LINES = 50

export async function loadChat(who: CustomerOfNumber, before: Before | undefined, deps: PageDeps): Promise<LoadedChat> {
  const { store, clock, numbers } = deps.desk
  const [rows, chat, customer, optOut] = await Promise.all([
    store.peopleRows([who]).then((found) => loadRows(found, deps)),
    store.chatOf(who, { limit: LINES, before }),
    store.customerOf(who.number, who.customer, clock.service()),
    store.optOutOf(who, numbers.length > 0),
  ])
  return { row: rows[0] as LoadedRow, chat, customer, optedOutAt: optOut?.at }
}

export function showChat(loaded: LoadedChat, revealed: boolean, presentOf: PresentOf, deps: PageDeps): Chat {
  const { row, chat, customer, optedOutAt } = loaded
  const { clock } = deps.desk
  const now = clock.service()
  const { lines, older } = chatLines(chat, LINES, { revealed, offset: clock.offset })
  const { open, closesAt } = windowAt(customer.lastInboundAt, now)
  const { silence } = customer
  return {
    row: showRow(row, revealed, presentOf, deps),
    lines,
    before: older && [older.message, older.send, older.note].join('.'),
    seen: chat.newest,
    window: { open, closesAt: closesAt?.toISOString() },
    takenOver: isInForce(silence, now)
      ? { by: silence.by, since: iso(silence.since), until: iso(silence.until) }
      : undefined,
    optedOut: iso(optedOutAt),
    now: new Date(now).toISOString(),
  }
}

/** @throws Refused `invalid` */
export function beforeIn(given: string | undefined): Before | undefined {
  if (given === undefined) return undefined
  if (!/^\d{1,16}(?:\.\d{1,16}){2}$/.test(given)) throw new Refused('invalid', 'before: expected the one of a chat')
  const [message = 0, send = 0, note = 0] = given
    .split('.')
    .map((part) => Math.min(Number(part), Number.MAX_SAFE_INTEGER))
  return { message, send, note }
}
