import type { Boundary, Layer, Next } from '../routes/index.ts'
import { withinBoundary } from './error-boundary.ts'
import type { RunningAttempt } from './types.ts'

/**
 * Leads a message through what stands before its routes, from the outside in: `inside` gets what was added to the
 * context on the way, `aside` is the way round where a condition does not hold.
 */
export type RunMiddleware = (
  layers: readonly Layer[],
  inside: (vars: object) => Promise<void>,
  aside: () => Promise<void>,
) => Promise<void>

/** What a layer's own context is, and who hears of its failure. */
export type LayerInfo = (layer: Layer) => { readonly context: object; readonly boundaries: readonly Boundary[] }

/** Each middleware runs once for a message, and `with` and conditions are asked once, however many routes lie behind. */
export function createMiddlewareRunner(running: RunningAttempt, standing: LayerInfo): RunMiddleware {
  const entered = new Set<Layer>()
  const answers = new Map<Layer, Promise<unknown>>()

  return async (layers, inside, aside) => {
    const step = async (at: number, vars: object): Promise<void> => {
      const layer = layers[at]
      if (!layer) return inside(vars)
      const on = (more: object = {}) => step(at + 1, { ...vars, ...more })
      const run = (next?: Next) => {
        const { context, boundaries } = standing(layer)
        const call = layer.run as (ctx: object, next?: Next) => unknown
        return withinBoundary(running, boundaries, () => call(Object.assign(context, vars), next))
      }
      if (layer.kind === 'use') {
        if (entered.has(layer)) return on()
        entered.add(layer)
        return void (await run(nextOf(running, on)))
      }
      const answer = answers.get(layer) ?? run()
      answers.set(layer, answer)
      if (layer.kind === 'with') return on((await answer) as object)
      return (await answer) === true ? on() : aside()
    }
    return step(0, {})
  }
}

/** Goes on once, however often it is called. The attempt waits for it, also where the app forgot to. */
export function nextOf({ effects }: Pick<RunningAttempt, 'effects'>, on: () => Promise<void>): Next {
  let gone: Promise<void> | undefined
  return () => (gone ??= effects.begin(on))
}
