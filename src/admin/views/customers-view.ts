import { componentText, isForCodes, templateShapeOf } from '../../service/approved-template.ts'
import { iso } from '../../view/delivery-view.ts'
import { lengthOf } from '../../view/mask.ts'
import type { Line } from '../../bot/bot-internals.ts'
import { customerOfFeatures } from '../features.ts'
import { customerName, type ViewDeps } from '../query.ts'
import { deliverySummary } from './deliveries-view.ts'
import { sendSummary } from './sends-view.ts'

const THREAD = 50
const LATEST = 20

export async function showCustomer(handle: string, deps: ViewDeps) {
  const who = deps.handles.customerOf(handle)
  const { store, clock, historyOf, nameOf, numbers } = deps.desk
  const now = clock.service()
  const { session, lastInboundAt, lastSentAt } = await store.customerOf(who.number, who.customer, now)
  const [name, thread, optOut, timers, ofFeatures, latest] = await Promise.all([
    deps.revealed ? nameOf(who) : undefined,
    historyOf(who, THREAD),
    // True: an opt-out on any number of the bot counts. If the numbers come from a source, only one on this number.
    store.optOutOf(who, numbers.length > 0),
    store.timersOf(who),
    customerOfFeatures(who, deps),
    store.latestOf(who, LATEST),
  ])
  return {
    ...customerName(who, deps),
    name,
    ...(optOut && { optedOut: { at: iso(optOut.at), how: optOut.how } }),
    lastInboundAt: iso(lastInboundAt),
    lastSentAt: iso(lastSentAt),
    hasSession: session !== undefined,
    ...ofFeatures,
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
    // At the desk a person fills in texts only, so leave out templates that need media or an address of a button.
    if (!shape || typeof shape.header !== 'number' || shape.buttons.includes('url')) return []
    const { name, language } = row
    return [{ name, language, text: componentText(row, 'body') ?? '', header: shape.header, body: shape.body }]
  })
}

function saidOf({ by, at, kind, text }: Line, { revealed }: ViewDeps) {
  return { by, at: at.toISOString(), kind, text: text === undefined || revealed ? text : lengthOf(text) }
}
