import type { Candidate } from '../routes/index.ts'
import { withinBoundary } from './error-boundary.ts'
import { type ContextFor, messageContext, messageOf } from './make-context.ts'
import { createMiddlewareRunner, nextOf } from './middleware.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'

/**
 * The first route that takes the message runs, within all that stands before it; `next()` runs the one after it. False
 * where no route took it, and no middleware kept it to itself or left something in the session.
 */
export async function runMessage(running: RunningAttempt, room: AttemptDeps): Promise<boolean> {
  const message = messageOf(running.facts, running.item.at)
  const candidates = room.routes.candidates(message, room.openerFor(running.item))
  const first = candidates.next()
  if (first.done && room.routes.layers.length === 0) return false
  const contextFor = await messageContext(running, room, message)
  const taken = await pass(first, candidates, contextFor, running, room)
  await running.effects.ended()
  return (await running.session?.checked()) === 'changed' || taken
}

async function pass(
  first: IteratorResult<Candidate>,
  candidates: Iterator<Candidate>,
  contextFor: ContextFor,
  running: RunningAttempt,
  room: AttemptDeps,
): Promise<boolean> {
  const { standing, layers: outermost } = room.routes
  const through = createMiddlewareRunner(running, (layer) => {
    const { id, boundaries } = standing(layer)
    return { context: contextFor(id, {}), boundaries }
  })
  let taken = false
  let atTheEnd = false

  const run = async (found: IteratorResult<Candidate>): Promise<void> => {
    running.clock.check()
    // What stands before every message hears also of one that no route takes.
    if (found.done)
      return through(
        outermost,
        async () => void (atTheEnd = true),
        async () => {},
      )
    const { route, extra } = found.value
    const next = nextOf(running, async () => run(candidates.next()))
    const enter = async (vars: object) => {
      taken = true
      const handler = route.handler as (ctx: object, next: () => Promise<void>) => unknown
      await withinBoundary(running, route.boundaries, () =>
        handler(Object.assign(contextFor(route.id, extra), vars), next),
      )
    }
    return through(route.layers, enter, next)
  }
  await run(first)
  return taken || !atTheEnd
}
