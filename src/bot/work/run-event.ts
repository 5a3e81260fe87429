import { SwitchhookError, isA } from '../../base/errors.ts'
import { STATUS_ORDER } from '../../service/contract.ts'
import { eventOf, type KeptFacts } from '../inbox/read-delivery.ts'
import { failedSendIn, type Send, sendOf } from '../outbox/send.ts'
import { windowAt } from '../outbox/customers.ts'
import type { Base, Env, EventContext, FailedSendContext, StatusContext } from '../routes/context.ts'
import type { CompiledHandler, CompiledRoutes } from '../routes/compile.ts'
import { BaseContext, ContextOfCustomer, sessionOfAttempt } from './context.ts'
import { assignScope, withinScope, withVars } from './middleware.ts'
import { checkLease, slotsOf } from './attempt-effects.ts'
import type { RunningAttempt } from './attempt-types.ts'

/**
 * `retryAt`: the event cannot be understood yet. The item runs again at this wall time, which does not count as an
 * attempt.
 */
export type EventRun = 'handled' | 'unheard' | { readonly retryAt: number }

/**
 * Runs an event's handlers. A handler that has finished does not run again, unless the handlers share a session, which
 * is stored once after all of them.
 */
export async function runEvent(running: RunningAttempt): Promise<EventRun> {
  try {
    const heard = await listening(running)
    if (heard === undefined || heard.routes.length === 0) return 'unheard'
    await checkLease(running)
    await runHandlers(heard.routes, heard.contextFor, running)
    await running.session?.hasChanged()
    return 'handled'
  } catch (error) {
    if (isA(error, TooEarly)) return { retryAt: retryAt(running, error.waitMs) }
    throw error
  }
}

async function runHandlers(
  routes: Listening['routes'],
  contextFor: Listening['contextFor'],
  running: RunningAttempt,
): Promise<void> {
  let failed: { error: unknown; route: CompiledHandler } | undefined
  for (const route of routes) {
    // Stop if the attempt has ended: another attempt runs at the same time.
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

interface Listening {
  readonly routes: readonly CompiledHandler[]
  readonly contextFor: (route: string) => Base<Env>
}

async function listening(running: RunningAttempt): Promise<Listening | undefined> {
  if (running.item.kind === 'send_failed') return listeningToFailedSend(running)
  if (running.item.kind === 'window_closing') return listeningToWindow(running)
  const name = eventOf(running.item.delivery.event, running.facts)
  const routes = running.deps.routes.events.filter(({ event }) => event === name)
  if (running.item.kind === 'status') return listeningToStatus(routes, running)
  return { routes, contextFor: (route) => new ContextOfEvent(route, running) }
}

/**
 * Runs the handlers of one status. Each runs once for a message, at the first report of this status or a higher one,
 * because reports arrive in any order and some never arrive (EVT-04). A report that arrives before its send's answer
 * waits for it.
 */
async function listeningToStatus(routes: CompiledRoutes['events'], running: RunningAttempt): Promise<Listening> {
  const { item, facts, deps } = running
  const { status, messageId, upstreamId } = facts.values
  const sent = await sendNamed(running)
  if (!sent && (await deps.store.underWay(item.number, item.customer, item.createdAt)).attempting) throw new TooEarly()
  const reached = reachedBy(status)
  const anyListens = routes.some((route) => route.status !== undefined && reached.includes(route.status))
  const message = sent?.id ?? messageId ?? upstreamId ?? String(item.id)
  const first = anyListens ? await deps.store.firstToReach(item, message, reached) : []
  return {
    routes: routes.filter((route) => route.status === undefined || first.includes(route.status)),
    contextFor: (route): StatusContext<Env> =>
      withVars(baseContext(route, running), { status: status ?? 'unknown', sent, customer: item.customer }),
  }
}

async function listeningToFailedSend(running: RunningAttempt): Promise<Listening | undefined> {
  const failed = await failedSendIn(running.item.delivery.body, running.deps)
  if (failed === undefined) return undefined
  if ('waitMs' in failed) throw new TooEarly(failed.waitMs)
  return {
    routes: running.deps.routes.failedSends,
    contextFor: (route): FailedSendContext<Env> => withVars(baseContext(route, running), failed),
  }
}

/** `read` implies `delivered`, and `sent`. */
function reachedBy(status: string | undefined): string[] {
  if (status === undefined) return []
  const rank = STATUS_ORDER.findIndex((one) => one === status)
  return rank < 0 ? [status] : STATUS_ORDER.slice(0, rank + 1)
}

function baseContext(route: string, running: RunningAttempt): BaseContext {
  return new BaseContext(slotsOf(route, running), running)
}

async function sendNamed({ item, facts, deps: { store } }: RunningAttempt): Promise<Send | undefined> {
  const { messageId, upstreamId } = facts.values
  const row = await store.findSend({ messageId, upstreamId, number: item.number })
  return row && (await sendOf(store, row))
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
  // Count null as missing: a value without a JSON form, such as NaN, was stored as null.
  if (value !== undefined && value !== null) return value
  throw new SwitchhookError(
    'fact_missing',
    `fact_missing: ${fact}: the payload does not have it at the path that the option facts names`,
  )
}

/** How much later than the event a send may have begun: the clock of its process may be ahead. */
const CLOCKS_DIFFER_MS = 5_000
/** How long after a send its upstream id may still be unknown. */
const NAMED_LATE_MS = 10 * 60_000

/**
 * Finds out who wrote a message of the number: see `Sent.sentBy`.
 * @throws TooEarly through the handler, up to `runEvent`.
 */
export async function sentBy(running: RunningAttempt): Promise<'bot' | 'other' | 'unclear'> {
  const { item, facts, deps } = running
  const { number, customer, createdAt } = item
  const { attempting, unknown } = await deps.store.underWay(number, customer, createdAt + CLOCKS_DIFFER_MS)
  // Search by id again: a send may have been settled meanwhile.
  if (await sendNamed(running)) return 'bot'
  if (attempting) throw new TooEarly()
  const { messageId, upstreamId } = facts.values
  if (unknown || customer === undefined || (messageId ?? upstreamId) === undefined) return 'unclear'
  if (messageId !== undefined) return 'other'
  // A send has the service's id at first. Its statuses add the upstream id.
  const now = deps.clock.service()
  const { lastSentAt } = await deps.store.customerOf(number, customer, now)
  return lastSentAt !== undefined && now - lastSentAt < NAMED_LATE_MS ? 'unclear' : 'other'
}

/** Thrown if the event cannot be understood yet: a send must be settled first, or this much time must pass. */
export class TooEarly extends Error {
  readonly waitMs: number | undefined

  constructor(waitMs?: number) {
    super('it is too early to tell')
    this.waitMs = waitMs
  }
}

const SHORTEST_WAIT_MS = 200
const LONGEST_WAIT_MS = 30_000

/** Returns when to try again. If nobody knows how long to wait, the item waits as long as it has waited already. */
function retryAt({ item, deps }: RunningAttempt, waitMs: number | undefined): number {
  const now = deps.clock.wall()
  return now + Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, waitMs ?? now - item.createdAt))
}

/** Returns the handlers of a closing window. Undefined if a new message has moved the window, or if it has closed. */
async function listeningToWindow(running: RunningAttempt): Promise<Listening | undefined> {
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
