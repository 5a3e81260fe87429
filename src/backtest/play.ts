import type { Lifecycle } from '../app/lifecycle.ts'
import { createCollector } from './collect.ts'
import type { Recorded, Run, WorldOptions } from './recording.ts'
import { openWorld, type World } from './world.ts'

export interface Playing extends WorldOptions {
  readonly deliveries: readonly Recorded[]
  /** For how long the bot goes on after the last delivery: back-offs, timers and scheduled sends. */
  readonly afterMs: number
  /** Real time that a handler may run code of its own; default 30 s. */
  readonly handlerTimeoutMs?: number
}

/** Plays all deliveries, one after another, each at its time. */
export type Play = () => Promise<Omit<Run, 'refused'>>

export async function startPlaying(life: Lifecycle, o: Playing): Promise<Play> {
  const collector = createCollector()
  const world = await openWorld(life, { ...o, collector })
  return async () => {
    for (const delivery of o.deliveries) {
      const failed = (error: unknown) => collector.failed(delivery.id, error)
      // A failure between two deliveries belongs to the second.
      await world.until(delivery.at).catch(failed)
      collector.took(delivery.id, await timed(() => world.deliver(delivery).catch(failed)))
    }
    await goOn(world, o)
    return { played: collector.played(o.deliveries), apart: collector.apart(o.deliveries) }
  }
}

async function goOn(world: World, { deliveries, afterMs }: Playing): Promise<void> {
  const last = deliveries.at(-1)
  // A handler that does not end is told of with its delivery: it waited there first.
  if (last) await world.until(last.at + afterMs).catch(() => {})
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await run()
  return performance.now() - began
}
