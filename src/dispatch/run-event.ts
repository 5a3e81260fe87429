import { STATUS_ORDER } from '../contract/index.ts'
import { type Base, type CompiledEventRoute, type Env, TooEarly } from '../routes/index.ts'
import { assignBoundaries, withinBoundary } from './error-boundary.ts'
import { eventContext, sentOf, statusContext } from './make-context.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'

/** Each handler of an event hears it, and each has its own progress: who has finished does not run again. */
export async function runEvent(running: RunningAttempt, room: AttemptDeps): Promise<boolean> {
  const { completedHandlers } = running
  const { routes, contextFor } = await listening(running, room)
  if (routes.length === 0) return false
  let failed: { error: unknown; route: CompiledEventRoute } | undefined
  for (const route of routes) {
    // An attempt that is over begins nothing more: another one runs beside it.
    running.clock.check()
    if (completedHandlers.includes(route.id)) continue
    try {
      await withinBoundary(running, route.boundaries, () => route.handler(contextFor(route.id), async () => {}))
      await running.effects.ended()
      completedHandlers.push(route.id)
    } catch (error) {
      failed ??= { error, route }
    }
  }
  if (!failed) return true
  assignBoundaries(running, failed.error, failed.route.boundaries)
  throw failed.error
}

interface Listening {
  readonly routes: readonly CompiledEventRoute[]
  readonly contextFor: (route: string) => Base<Env>
}

async function listening(running: RunningAttempt, room: AttemptDeps): Promise<Listening> {
  const { item } = running
  if (item.kind === 'status') return listeningToStatus(running, room)
  const routes = room.routes.events.filter(({ event }) => event === item.delivery.event)
  return { routes, contextFor: eventContext(running, room) }
}

/**
 * A handler of one status hears of a message once: at the first report that it got there or beyond, since reports come in
 * any order and some never come (EVT-04). One that comes before the answer to its send waits for that.
 */
async function listeningToStatus(running: RunningAttempt, room: AttemptDeps): Promise<Listening> {
  const { item, facts } = running
  const { status, messageId, upstreamId } = facts.values
  const sent = await sentOf(running, room)
  if (!sent && (await room.store.hadBegun(item.number, item.customer, item.createdAt))) throw new TooEarly()
  const told = reachedBy(status)
  const heard = room.routes.events.filter(({ event }) => event === item.delivery.event)
  const some = heard.some((route) => route.status !== undefined && told.includes(route.status))
  const message = sent?.id ?? messageId ?? upstreamId ?? String(item.id)
  const first = some ? await room.store.claimReached(item.id, message, told) : []
  return {
    routes: heard.filter((route) => route.status === undefined || first.includes(route.status)),
    contextFor: statusContext(running, room, sent),
  }
}

/** `read` says `delivered` too, and `sent`. */
function reachedBy(status: string | undefined): string[] {
  if (status === undefined) return []
  const place = STATUS_ORDER.findIndex((one) => one === status)
  return place < 0 ? [status] : STATUS_ORDER.slice(0, place + 1)
}
