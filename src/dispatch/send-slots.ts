import type { AttemptDeps, RunningAttempt } from './types.ts'

export type Slots = ReturnType<typeof slotsOf>

/**
 * Names the sends and the `once` effects of one route, so that two routes never share a name. A send goes by the name that
 * the app gave it, else by its order within this run of the route. The names are parts of keys.
 */
export function slotsOf(route: string, running: RunningAttempt, deps: AttemptDeps) {
  let unnamed: Map<string, number> | undefined
  return {
    once: (name: string) => `${route}/${name}`,
    next(kind: string, name?: string): string {
      if (name !== undefined) return `${route}/${kind}:${name}`
      unnamed ??= new Map()
      const ordinal = (unnamed.get(kind) ?? 0) + 1
      unnamed.set(kind, ordinal)
      if (ordinal === 2 && deps.strict)
        deps.log.warn(
          { route, delivery: running.item.delivery.deliveryId },
          'two unnamed replies in one route are told apart by their order alone: name them with { slot } where that order may change',
        )
      return `${route}/${kind}#${ordinal}`
    },
  }
}
