import { STATUS_ORDER } from '../contract/index.ts'
import type { Base, Env } from './context.ts'
import type { AttemptRoom, RunningAttempt } from './running.ts'
import { eventContext, messageContext, messageOf, sentOf, statusContext } from './make-context.ts'
import type { EventRoute } from './routes.ts'
import { TooEarly } from './verdict.ts'

/** Runs what is registered for an item; false where nothing is. */
export async function runHandlers(running: RunningAttempt, room: AttemptRoom): Promise<boolean> {
  return running.item.kind === 'message' ? runMessage(running, room) : runEvent(running, room)
}

/** The first match runs; `next()` runs the one after it. */
async function runMessage(running: RunningAttempt, room: AttemptRoom): Promise<boolean> {
  const message = messageOf(running.facts, running.item.at)
  const matches = room.routes.ofMessage(message)
  if (matches.length === 0) return false
  const contextFor = await messageContext(running, room, message)
  const run = async (index: number): Promise<void> => {
    running.clock.check()
    const match = matches[index]
    if (match) await match.route.handler(contextFor(match.route.id, match.extra) as never, () => run(index + 1))
  }
  await run(0)
  await running.effects.ended()
  return true
}

/** Each handler of an event hears it, and each has its own progress: who has finished does not run again. */
async function runEvent(running: RunningAttempt, room: AttemptRoom): Promise<boolean> {
  const { finished } = running
  const { routes, contextFor } = await listening(running, room)
  if (routes.length === 0) return false
  let failed: { error: unknown } | undefined
  for (const route of routes) {
    // An attempt that is over begins nothing more: another one runs beside it.
    running.clock.check()
    if (finished.includes(route.id)) continue
    try {
      await route.handler(contextFor(route.id), async () => {})
      await running.effects.ended()
      finished.push(route.id)
    } catch (error) {
      failed ??= { error }
    }
  }
  if (failed) throw failed.error
  return true
}

interface Listening {
  readonly routes: readonly EventRoute[]
  readonly contextFor: (route: string) => Base<Env>
}

async function listening(running: RunningAttempt, room: AttemptRoom): Promise<Listening> {
  const { item } = running
  if (item.kind === 'status') return listeningToStatus(running, room)
  return { routes: room.routes.ofEvent(item.delivery.event, []), contextFor: eventContext(running, room) }
}

/**
 * A handler of one status hears of a message once: at the first report that it got there or beyond, since reports come in
 * any order and some never come (EVT-04). One that comes before the answer to its send waits for that.
 */
async function listeningToStatus(running: RunningAttempt, room: AttemptRoom): Promise<Listening> {
  const { item, facts } = running
  const { status, messageId, upstreamId } = facts.values
  const sent = await sentOf(running, room)
  if (!sent && (await room.store.isAttempting(item.number, item.customer))) throw new TooEarly()
  const told = reachedBy(status)
  const first = room.routes.listensTo(told)
    ? await room.store.claimReached(item.id, sent?.id ?? messageId ?? upstreamId ?? String(item.id), told)
    : []
  return {
    routes: room.routes.ofEvent(item.delivery.event, first),
    contextFor: statusContext(running, room, sent),
  }
}

/** `read` says `delivered` too, and `sent`. */
function reachedBy(status: string | undefined): string[] {
  if (status === undefined) return []
  const place = STATUS_ORDER.findIndex((one) => one === status)
  return place < 0 ? [status] : STATUS_ORDER.slice(0, place + 1)
}
