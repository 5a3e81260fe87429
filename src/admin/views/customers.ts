import { maskPhone } from '../../base/mask.ts'
import { iso } from '../../inspect/iso.ts'
import { lengthOf } from '../../inspect/mask.ts'
import type { Line } from '../../receive/desk.ts'
import type { ConversationRow, CustomerOfNumber, TimerRow } from '../../stores/port/index.ts'
import type { ConversationSummary, CustomerView, Page, Said, TimerSummary } from '../api.ts'
import { membersOf } from '../sealed.ts'
import { limitIn, textIn, type ViewDeps } from '../view.ts'

const THREAD = 50

/** `GET api/customers/HANDLE`. */
export async function showCustomer(handle: string, deps: ViewDeps): Promise<CustomerView> {
  const who = deps.sealer.customerOf(handle)
  const { store, clock, historyOf } = deps.desk
  const { mute, session, lastInboundAt, lastSentAt } = await store.customerOf(who.number, who.customer, clock.service())
  const [thread, timers, open] = await Promise.all([
    historyOf(who, THREAD),
    store.timersOf(who),
    store.listConversations({ ...who, limit: 1 }),
  ])
  const [conversation] = open.conversations
  return {
    ...namedAs(who, deps),
    ...(mute && { mute: { why: mute.why, since: iso(mute.since), until: iso(mute.until) } }),
    lastInboundAt: iso(lastInboundAt),
    lastSentAt: iso(lastSentAt),
    hasSession: session !== undefined,
    ...(conversation && { conversation: conversationSummary(conversation, deps) }),
    timers: timers.map((timer) => timerSummary(timer, deps)),
    thread: thread.map((line) => saidOf(line, deps)),
  }
}

function saidOf({ by, at, kind, text }: Line, { revealed }: ViewDeps): Said {
  return { by, at: at.toISOString(), kind, text: text === undefined || revealed ? text : lengthOf(text) }
}

/** `GET api/conversations`. */
export async function listConversations(query: URLSearchParams, deps: ViewDeps): Promise<Page<ConversationSummary>> {
  const { desk, sealer } = deps
  const [number, handle, cursor] = [textIn(query, 'number'), query.get('customer'), query.get('after')]
  const { conversations, next } = await desk.store.listConversations({
    limit: limitIn(query),
    ...(number !== undefined && { number }),
    ...(handle !== null && sealer.customerOf(handle)),
    ...(cursor !== null && { after: sealer.customerOf(cursor) }),
  })
  return {
    rows: conversations.map((row) => conversationSummary(row, deps)),
    ...(next && { next: sealer.handleOf(next) }),
  }
}

/** `GET api/timers`. */
export async function listTimers(query: URLSearchParams, deps: ViewDeps): Promise<Page<TimerSummary>> {
  const { desk, sealer } = deps
  const [number, cursor] = [textIn(query, 'number'), query.get('after')]
  const { timers, next } = await desk.store.listTimers({
    limit: limitIn(query),
    ...(number !== undefined && { number }),
    ...(cursor !== null && { after: timerIn(sealer.open(cursor)) }),
  })
  return {
    rows: timers.map((timer) => timerSummary(timer, deps)),
    ...(next && { next: sealer.seal(next) }),
  }
}

function timerIn(opened: unknown): TimerRow {
  const { number, customer, kind, name, dueAt } = membersOf(opened)
  return {
    number: String(number),
    customer: String(customer),
    kind: String(kind),
    name: String(name),
    dueAt: Number(dueAt),
  }
}

function conversationSummary(row: ConversationRow, deps: ViewDeps): ConversationSummary {
  const { id, name, version, openedAt, steps, waits } = row
  return {
    id,
    ...namedAs(row, deps),
    name,
    version,
    openedAt: iso(openedAt),
    steps,
    ...(waits && { waits: { for: waits.for, since: iso(waits.since), until: iso(waits.dueAt) } }),
  }
}

function timerSummary(timer: TimerRow, deps: ViewDeps): TimerSummary {
  return { ...namedAs(timer, deps), kind: timer.kind, dueAt: iso(timer.dueAt) }
}

export function namedAs({ number, customer }: CustomerOfNumber, { revealed, sealer }: ViewDeps) {
  return {
    number,
    customer: revealed ? customer : maskPhone(customer),
    handle: sealer.handleOf({ number, customer }),
  }
}
