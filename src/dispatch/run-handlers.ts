import type { AttemptRoom, RunningAttempt } from './running.ts'
import { eventContext, messageContext, messageOf, statusContext } from './make-context.ts'

/** Runs what is registered for an item; false where nothing is. */
export async function runHandlers(running: RunningAttempt, room: AttemptRoom): Promise<boolean> {
  return running.item.kind === 'message' ? runMessage(running, room) : runEvent(running, room)
}

/** The first match runs; `next()` runs the one after it. */
async function runMessage(running: RunningAttempt, room: AttemptRoom): Promise<boolean> {
  const message = messageOf(running.facts, running.item.at)
  const matches = room.routes.ofMessage(message)
  if (matches.length === 0) return false
  const contextFor = messageContext(running, room, message)
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
  const { item, facts, finished } = running
  const routes = room.routes.ofEvent(item.delivery.event, facts.values.status)
  if (routes.length === 0) return false
  const contextFor = item.kind === 'status' ? await statusContext(running, room) : eventContext(running, room)
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
