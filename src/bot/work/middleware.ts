import type { Layer } from '../routes/table.ts'
import type { LayerInfo } from '../routes/compile.ts'
import type { Next } from '../routes/routes.ts'
import type { Part, RunningAttempt } from './attempt-types.ts'

/**
 * Makes a function that runs the middleware in front of a route, outermost first. Each runs once for a message, and each
 * `with` and condition is evaluated once, however many routes lie behind it. `run(vars)` calls the handler with the
 * collected context; `skip()` passes the route over when a condition is false.
 *
 * @param contextOf makes the context of a layer, whose replies go by the layer's own id.
 */
export function createMiddlewareRunner(
  running: RunningAttempt,
  layerInfo: (layer: Layer) => LayerInfo,
  contextOf: (id: string) => object,
) {
  const entered = new Set<Layer>()
  const answers = new Map<Layer, Promise<unknown>>()

  return async (layers: readonly Layer[], run: (vars: object) => Promise<void>, skip: () => Promise<void>) => {
    const step = async (at: number, vars: object): Promise<void> => {
      const layer = layers[at]
      if (!layer) return run(vars)
      const goOn = (more: object = {}) => step(at + 1, { ...vars, ...more })
      const call = (next?: Next) => {
        const part = layerInfo(layer)
        const middleware = layer.run as (ctx: object, next?: Next) => unknown
        return withinBoundary(running, part, () => middleware(withVars(contextOf(part.id), vars), next))
      }
      if (layer.kind === 'use') {
        if (entered.has(layer)) return goOn()
        entered.add(layer)
        return void (await call(makeNext(running, goOn)))
      }
      const answer = answers.get(layer) ?? call()
      answers.set(layer, answer)
      if (layer.kind === 'with') return goOn((await answer) as object)
      return (await answer) === true ? goOn() : skip()
    }
    return step(0, {})
  }
}

export function withVars<C extends object, V extends object>(context: C, vars: V): C & V {
  for (const [name, value] of Object.entries(vars))
    Object.defineProperty(context, name, { value, writable: true, enumerable: true, configurable: true })
  return context as C & V
}

/**
 * Makes `next`. It continues once, even if it is called again. The attempt waits for it even if the app does not await
 * it.
 */
export function makeNext({ effects }: Pick<RunningAttempt, 'effects'>, goOn: () => Promise<void>): Next {
  let gone: Promise<void> | undefined
  return () => (gone ??= effects.begin(goOn))
}

type InBoundary = Pick<RunningAttempt, 'part' | 'errorParts'>

/** Runs a part of the app. Its errors go to the error handlers of this part. */
export async function withinBoundary<T>(running: InBoundary, part: Part, run: () => T | Promise<T>): Promise<T> {
  const outer = running.part
  running.part = part
  try {
    return await run()
  } catch (error) {
    assignPart(running, error, part)
    throw error
  } finally {
    // An interrupted attempt fails where it waits, not in parts that have ended.
    running.part = outer
  }
}

/** Assigns an effect's errors to the part in which it began, because it may fail while other code runs. */
export async function trackedInBoundary<T>(running: InBoundary, work: () => Promise<T>): Promise<T> {
  const { part } = running
  try {
    return await work()
  } catch (error) {
    assignPart(running, error, part)
    throw error
  }
}

/** Assigns an error to the innermost part that it passes through. */
export function assignPart(running: InBoundary, error: unknown, part: Part): void {
  running.errorParts ??= new Map()
  if (!running.errorParts.has(error)) running.errorParts.set(error, part)
}

export function partFor({ errorParts, part }: InBoundary, error: unknown): Part {
  return errorParts?.get(error) ?? part
}
