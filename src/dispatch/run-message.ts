import type { Layer } from '../routes/index.ts'
import { type ContextFor, messageContext, messageOf } from './make-context.ts'
import { createPassage } from './passage.ts'
import type { AttemptRoom, RunningAttempt } from './running.ts'

/**
 * The first route that takes the message runs, within all that stands before it; `next()` runs the one after it. False
 * where no route took it, and no middleware kept it to itself.
 */
export async function runMessage(running: RunningAttempt, room: AttemptRoom): Promise<boolean> {
  const message = messageOf(running.facts, running.item.at)
  const stops = room.routes.candidates(message, room.sealsFor(running.item)).map(
    ({ route, extra }): Stop => ({
      layers: route.layers,
      boundaries: route.boundaries,
      id: route.id,
      extra,
      handler: route.handler as Stop['handler'],
    }),
  )
  if (stops.length === 0 && room.routes.layers.length === 0) return false
  const handled = await pass(stops, room.routes.layers, await messageContext(running, room, message), running, room)
  await running.effects.ended()
  return handled
}

interface Stop {
  readonly layers: readonly Layer[]
  readonly boundaries: RunningAttempt['boundaries']
  readonly id: string
  readonly extra: object
  readonly handler: (ctx: object, next: () => Promise<void>) => unknown
}

async function pass(
  stops: readonly Stop[],
  outermost: readonly Layer[],
  contextFor: ContextFor,
  running: RunningAttempt,
  room: AttemptRoom,
): Promise<boolean> {
  const through = createPassage((layer) => contextFor(room.routes.layerId(layer), {}))
  let taken = false
  let atTheEnd = false

  const run = async (index: number): Promise<void> => {
    running.clock.check()
    const stop = stops[index]
    // What stands before every message hears also of one that no route takes.
    if (!stop)
      return through(
        outermost,
        async () => void (atTheEnd = true),
        async () => {},
      )
    const next = () => run(index + 1)
    running.boundaries = stop.boundaries
    const enter = async (vars: object) => {
      taken = true
      await stop.handler(Object.assign(contextFor(stop.id, stop.extra), vars), next)
    }
    return through(stop.layers, enter, next)
  }
  await run(0)
  return taken || !atTheEnd
}
