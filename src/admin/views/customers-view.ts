import { maskPhone } from '../../base/mask.ts'
import { componentText, isForCodes, templateShapeOf } from '../../service/approved-template.ts'
import { iso } from '../../view/delivery-view.ts'
import { lengthOf } from '../../view/mask.ts'
import type { Line } from '../../bot/inbox/bot-internals.ts'
import { Refused } from '../admin-http.ts'
import { limitIn, textIn, type ViewDeps } from '../query.ts'
import { deliverySummary } from './deliveries-view.ts'
import { sendSummary } from './sends-view.ts'
import type { ConversationRow } from '../../store/conversations.ts'
import type { CustomerOfNumber } from '../../store/customers.ts'

const THREAD = 50
const LATEST = 20

export async function showCustomer(handle: string, deps: ViewDeps) {
  const who = deps.handles.customerOf(handle)
  const { store, clock, historyOf, nameOf, numbers } = deps.desk
  const now = clock.service()
  const { takenOver, session, lastInboundAt, lastSentAt } = await store.customerOf(who.number, who.customer, now)
  const [name, thread, optOut, timers, open, latest] = await Promise.all([
    deps.revealed ? nameOf(who) : undefined,
    historyOf(who, THREAD),
    // The numbers of a source are not listed, and an opt-out counts on its own number there.
    store.optOutOf(who, numbers.length > 0),
    store.timersOf(who),
    store.listConversations({ ...who, limit: 1 }),
    store.latestOf(who, LATEST),
  ])
  const [conversation] = open.conversations
  return {
    ...customerName(who, deps),
    name,
    ...(takenOver && { takenOver: { by: takenOver.by, since: iso(takenOver.since), until: iso(takenOver.until) } }),
    ...(optOut && { optedOut: { at: iso(optOut.at), how: optOut.how } }),
    lastInboundAt: iso(lastInboundAt),
    lastSentAt: iso(lastSentAt),
    hasSession: session !== undefined,
    ...(conversation && { conversation: conversationSummary(conversation, deps) }),
    timers: timers.map(({ kind, dueAt }) => ({ kind, dueAt: iso(dueAt) })),
    thread: thread.map((line) => saidOf(line, deps)),
    deliveries: latest.deliveries.map((row) => deliverySummary(row, deps)),
    sends: latest.sends.map((send) => sendSummary(send, deps)),
  }
}

export async function templateChoices(number: string, { desk }: Pick<ViewDeps, 'desk'>) {
  const rows = (await desk.templates(number)) ?? []
  return rows.flatMap((row) => {
    const shape = row.sendable && !isForCodes(row) ? templateShapeOf(row) : undefined
    // A person fills in texts. A medium, or the address of a button, comes from the app.
    if (!shape || typeof shape.header !== 'number' || shape.buttons.includes('url')) return []
    const { name, language } = row
    return [{ name, language, text: componentText(row, 'body') ?? '', header: shape.header, body: shape.body }]
  })
}

function saidOf({ by, at, kind, text }: Line, { revealed }: ViewDeps) {
  return { by, at: at.toISOString(), kind, text: text === undefined || revealed ? text : lengthOf(text) }
}

/** The form of a conversation's id. A customer's name is longer, so it never matches. */
const CURSOR = /^[\w-]{1,48}$/

export async function listConversations(query: URLSearchParams, deps: ViewDeps) {
  const after = textIn(query, 'after')
  if (after !== undefined && !CURSOR.test(after))
    throw new Refused('invalid', 'after: expected the cursor of this list')
  const { conversations, next } = await deps.desk.store.listConversations({
    number: textIn(query, 'number'),
    limit: limitIn(query),
    after,
  })
  return { rows: conversations.map((row) => conversationSummary(row, deps)), ...(next !== undefined && { next }) }
}

function conversationSummary(row: ConversationRow, deps: ViewDeps) {
  const { id, name, version, openedAt, steps, waits } = row
  return {
    id,
    ...customerName(row, deps),
    name,
    version,
    openedAt: iso(openedAt),
    steps,
    ...(waits && { waits: { for: waits.for, since: iso(waits.since), until: iso(waits.dueAt) } }),
  }
}

export function customerName({ number, customer }: CustomerOfNumber, { revealed, handles }: ViewDeps) {
  return { number, customer: revealed ? customer : maskPhone(customer), handle: handles.handleOf({ number, customer }) }
}
