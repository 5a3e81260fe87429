import type { Layer } from '../routes/table.ts'
import type { LayerInfo } from '../routes/compile.ts'
import type { Next } from '../routes/routes.ts'
import type { ErrorScope, RunningAttempt } from './attempt-types.ts'

/**
 * Makes a function that runs the layers in front of a route, outermost first. Each runs once for a message, however
 * many routes are behind it. Then `run(vars)` calls the handler with what `with` has added, or `skip()` the next route
 * if a condition is false.
 *
 * @param contextOf makes the context of a layer, by the id that names the layer's replies.
 */
export function createMiddlewareRunner(
  running: RunningAttempt,
  layerInfo: (layer: Layer) => LayerInfo,
  contextOf: (id: string) => object,
) {
  const entered = new Set<Layer>()
  const results = new Map<Layer, Promise<unknown>>()

  return async (layers: readonly Layer[], run: (vars: object) => Promise<void>, skip: () => Promise<void>) => {
    const step = async (at: number, vars: object): Promise<void> => {
      const layer = layers[at]
      if (!layer) return run(vars)
      const goOn = (more: object = {}) => step(at + 1, { ...vars, ...more })
      const call = (next?: Next) => {
        const info = layerInfo(layer)
        const middleware = layer.run as (ctx: object, next?: Next) => unknown
        return withinScope(running, info, () => middleware(withVars(contextOf(info.id), vars), next))
      }
      if (layer.kind === 'use') {
        if (entered.has(layer)) return goOn()
        entered.add(layer)
        return void (await call(makeNext(running, goOn)))
      }
      const result = results.get(layer) ?? call()
      results.set(layer, result)
      if (layer.kind === 'with') return goOn((await result) as object)
      return (await result) === true ? goOn() : skip()
    }
    return step(0, {})
  }
}

export function withVars<C extends object, V extends object>(context: C, vars: V): C & V {
  for (const [name, value] of Object.entries(vars))
    Object.defineProperty(context, name, { value, writable: true, enumerable: true, configurable: true })
  return context as C & V
}

/** Makes `next`, which continues once. The attempt waits for it even if the app does not. */
export function makeNext({ effects }: Pick<RunningAttempt, 'effects'>, goOn: () => Promise<void>): Next {
  let gone: Promise<void> | undefined
  return () => (gone ??= effects.begin(goOn))
}

type InScope = Pick<RunningAttempt, 'scope' | 'errorScopes'>

/** Runs code of the app, whose errors go to the error handlers of this scope. */
export async function withinScope<T>(running: InScope, scope: ErrorScope, run: () => T | Promise<T>): Promise<T> {
  const outer = running.scope
  running.scope = scope
  try {
    return await run()
  } catch (error) {
    assignScope(running, error, scope)
    throw error
  } finally {
    // If the attempt is interrupted, its error goes to the scope in which it waits.
    running.scope = outer
  }
}

/** Assigns the errors of an effect to the scope in which it began: it may fail while other code runs. */
export async function trackedInScope<T>(running: InScope, work: () => Promise<T>): Promise<T> {
  const { scope } = running
  try {
    return await work()
  } catch (error) {
    assignScope(running, error, scope)
    throw error
  }
}

/** The innermost scope that an error passes through is its scope. */
export function assignScope(running: InScope, error: unknown, scope: ErrorScope): void {
  running.errorScopes ??= new Map()
  if (!running.errorScopes.has(error)) running.errorScopes.set(error, scope)
}

export function scopeOf({ errorScopes, scope }: InScope, error: unknown): ErrorScope {
  return errorScopes?.get(error) ?? scope
}
