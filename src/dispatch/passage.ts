import type { Layer } from '../routes/index.ts'

/**
 * Leads a message through what stands before its routes, from the outside in: `inside` gets what was added to the
 * context on the way, `aside` is the way round where a condition does not hold.
 */
export type Passage = (
  layers: readonly Layer[],
  inside: (vars: object) => Promise<void>,
  aside: () => Promise<void>,
) => Promise<void>

/** Each middleware runs once for a message, and `with` is asked once, however many routes lie behind them. */
export function createPassage(contextFor: (layer: Layer) => object): Passage {
  const entered = new Set<Layer>()
  const added = new Map<Layer, object>()

  return async (layers, inside, aside) => {
    const step = async (at: number, vars: object): Promise<void> => {
      const layer = layers[at]
      if (!layer) return inside(vars)
      const run = layer.run as (ctx: object, next?: () => Promise<void>) => unknown
      const context = () => Object.assign(contextFor(layer), vars)
      const on = (more: object = {}) => step(at + 1, { ...vars, ...more })
      if (layer.kind === 'with') {
        const more = added.get(layer) ?? ((await run(context())) as object)
        added.set(layer, more)
        return on(more)
      }
      if (layer.kind === 'when') return run(context()) === true ? on() : aside()
      if (entered.has(layer)) return on()
      entered.add(layer)
      await run(context(), () => on())
    }
    return step(0, {})
  }
}
