import { SwitchhookError, isA } from '../../base/errors.ts'
import { STATUS_ORDER } from '../../service/delivery.ts'
import { eventOf, type KeptFacts } from '../inbox/read-delivery.ts'
import { asSend } from '../outbox/send.ts'
import { windowAt } from '../outbox/window.ts'
import type { Base, Env, EventContext, FailedSendContext, StatusContext } from '../routes/context.ts'
import type { CompiledHandler, CompiledRoutes } from '../routes/compile.ts'
import { BaseContext, ContextOfCustomer, sessionOfAttempt, withVars } from './handler-context.ts'
import { assignScope, withinScope, checkLease, type RunningAttempt, slotsOf } from './running-attempt.ts'
import { whenToReport } from '../../store/outbox/failed-sends.ts'
import type { SendRow } from '../../store/database/outbox-tables.ts'

/** `afterMs`: the event cannot be understood yet, so its item runs again after this time, as no new attempt. */
export type EventRun = 'handled' | 'unmatched' | { readonly afterMs: number }

/**
 * Runs an event's handlers. A handler that has finished does not run again, unless the handlers share a session, which
 * is stored once after all of them.
 */
export async function runEvent(running: RunningAttempt): Promise<EventRun> {
  try {
    const handlers = await handlersFor(running)
    if (handlers === undefined || handlers.routes.length === 0) return 'unmatched'
    await checkLease(running)
    await runHandlers(handlers, running)
    await running.session?.hasChanged()
    return 'handled'
  } catch (error) {
    if (isA(error, TooEarly)) return { afterMs: waitOf(running, error.waitMs) }
    throw error
  }
}

/** Thrown if an event can be understood only when a send is settled, or after `waitMs`. */
export class TooEarly extends Error {
  readonly waitMs: number | undefined

  constructor(waitMs?: number) {
    super('it is too early to tell')
    this.waitMs = waitMs
  }
}

const SHORTEST_WAIT_MS = 200
const LONGEST_WAIT_MS = 30_000

/** If nobody knows how long to wait, the item waits as long as it has waited already. */
function waitOf({ item, deps }: RunningAttempt, ms = deps.clock.wall() - item.createdAt): number {
  return Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, ms))
}

interface EventHandlers {
  readonly routes: readonly CompiledHandler[]
  readonly contextFor: (route: string) => Base<Env>
}

async function handlersFor(running: RunningAttempt): Promise<EventHandlers | undefined> {
  if (running.item.kind === 'send_failed') return handlersOfFailedSend(running)
  if (running.item.kind === 'window_closing') return handlersOfWindow(running)
  const name = eventOf(running.item.delivery.event, running.facts)
  const routes = running.deps.routes.events.filter(({ event }) => event === name)
  if (running.item.kind === 'status') return handlersOfStatus(routes, running)
  return { routes, contextFor: (route) => new ContextOfEvent(route, running) }
}

/**
 * Each handler of a status runs once for a message, at the first report of this status or a higher one, because reports
 * arrive in any order and some never arrive (EVT-04). A report that arrives before the answer to its send waits.
 */
async function handlersOfStatus(routes: CompiledRoutes['events'], running: RunningAttempt): Promise<EventHandlers> {
  const { item, facts, deps } = running
  const { status, messageId, upstreamId } = facts.values
  const implied = impliedBy(status)
  const hasListener = routes.some((route) => route.status !== undefined && implied.includes(route.status))
  const known = await deps.store.statusForHandlers(item, { messageId, upstreamId }, hasListener ? implied : [])
  if (!known) throw new TooEarly()
  const sent = known.sent && asSend(known.sent)
  return {
    routes: routes.filter((route) => route.status === undefined || known.reports.includes(route.status)),
    contextFor: (route): StatusContext<Env> =>
      withVars(baseContext(route, running), { status: status ?? 'unknown', sent, customer: item.customer }),
  }
}

/** `read` implies `delivered`, and `sent`. */
function impliedBy(status: string | undefined): string[] {
  if (status === undefined) return []
  const rank = STATUS_ORDER.findIndex((one) => one === status)
  return rank < 0 ? [status] : STATUS_ORDER.slice(0, rank + 1)
}

/** What an item of kind `send_failed` contains. */
type FailureNotice = Pick<SendRow, 'state' | 'settledAt' | 'code' | 'reason'> & { readonly send: string }

async function handlersOfFailedSend(running: RunningAttempt): Promise<EventHandlers | undefined> {
  const failed = await failedSendOf(running)
  return (
    failed && {
      routes: running.deps.routes.failedSends,
      contextFor: (route): FailedSendContext<Env> => withVars(baseContext(route, running), failed),
    }
  )
}

/** Undefined if the failure was reported, or is outdated. @throws TooEarly while a caller may wait for the send. */
export async function failedSendOf({
  item,
  deps: { store, clock },
}: Pick<RunningAttempt, 'item' | 'deps'>): Promise<Pick<FailedSendContext, 'send' | 'code' | 'reason'> | undefined> {
  const reported = JSON.parse(Buffer.from(item.delivery.body).toString('utf8')) as FailureNotice
  const row = await store.findSend({ id: reported.send })
  const wall = clock.wall()
  const when = whenToReport({ reported, now: row }, wall)
  if (row === undefined || when === 'over') return undefined
  if (when !== 'due') throw new TooEarly(when.at - wall)
  const { code, reason = reported.state } = reported
  return { send: asSend(await store.withStatuses(row)), code, reason }
}

/** Undefined if a new message has moved the window, or if the window has closed. */
async function handlersOfWindow(running: RunningAttempt): Promise<EventHandlers | undefined> {
  const { item } = running
  const { before, lastAt } = JSON.parse(Buffer.from(item.delivery.body).toString('utf8')) as {
    readonly before: number
    readonly lastAt: number
  }
  const hasMoved = item.lastInboundAt !== undefined && item.lastInboundAt > lastAt
  if (hasMoved || windowAt(lastAt, running.deps.clock.service()).open !== true) return undefined
  const session = await sessionOfAttempt(running)
  return {
    routes: running.deps.routes.closings.filter(({ beforeMs }) => beforeMs === before),
    contextFor: (route) => new ContextOfCustomer(slotsOf(route, running), session, running),
  }
}

async function runHandlers({ routes, contextFor }: EventHandlers, running: RunningAttempt): Promise<void> {
  let failed: { error: unknown; route: CompiledHandler } | undefined
  for (const route of routes) {
    // Begin no handler if this attempt has ended, because another one may already run.
    running.clock.check()
    if (running.completedHandlers.includes(route.id)) continue
    running.route ??= route.id
    try {
      await withinScope(running, route, () => route.handler(contextFor(route.id), async () => {}))
      await running.effects.ended()
      if (!running.session) running.completedHandlers = [...running.completedHandlers, route.id]
    } catch (error) {
      failed ??= { error, route }
    }
  }
  if (!failed) return
  assignScope(running, failed.error, failed.route)
  throw failed.error
}

function baseContext(route: string, running: RunningAttempt): BaseContext {
  return new BaseContext(slotsOf(route, running), running)
}

class ContextOfEvent extends BaseContext implements EventContext<Env> {
  readonly customer: string | undefined
  readonly need: (fact: string) => never
  declare readonly sentBy?: () => ReturnType<typeof sentBy>

  constructor(route: string, running: RunningAttempt) {
    super(slotsOf(route, running), running)
    this.customer = running.item.customer
    this.need = (fact) => needed(running.facts, fact) as never
    if (eventOf(running.item.delivery.event, running.facts) === 'message.sent') this.sentBy = () => sentBy(running)
  }

  get json(): unknown {
    return this.event.json
  }
}

function needed({ values, own }: KeptFacts, fact: string): unknown {
  const known: Record<string, unknown> = { ...values, ...own }
  const value = Object.hasOwn(known, fact) ? known[fact] : undefined
  // Null counts as missing: a value without a JSON form, such as NaN, was stored as null.
  if (value !== undefined && value !== null) return value
  throw new SwitchhookError(
    'fact_missing',
    `fact_missing: ${fact}: the payload does not have it at the path that the option facts names`,
  )
}

/** The clock of the process that sends may be ahead by this much. */
const CLOCKS_DIFFER_MS = 5_000
/** How long after a send its upstream id may still be unknown. */
const NAMED_LATE_MS = 10 * 60_000

/** See `Sent.sentBy`. @throws TooEarly, which `runEvent` catches. */
export async function sentBy(running: RunningAttempt): Promise<'bot' | 'other' | 'unclear'> {
  const { item, facts, deps } = running
  const { number, customer, createdAt } = item
  const { attempting, unknown } = await deps.store.underWay(number, customer, createdAt + CLOCKS_DIFFER_MS)
  // A send may have been settled, and got its id, meanwhile.
  const { messageId, upstreamId } = facts.values
  if (await deps.store.findSend({ messageId, upstreamId, number })) return 'bot'
  if (attempting) throw new TooEarly()
  if (unknown || customer === undefined || (messageId ?? upstreamId) === undefined) return 'unclear'
  if (messageId !== undefined) return 'other'
  // This message may be a recent send: a send has only the service's id until a status brings its upstream id.
  const now = deps.clock.service()
  const { lastSentAt } = await deps.store.customerOf(number, customer, now)
  return lastSentAt !== undefined && now - lastSentAt < NAMED_LATE_MS ? 'unclear' : 'other'
}
