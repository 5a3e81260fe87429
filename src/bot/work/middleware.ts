import type { Layer } from '../routes/table.ts'
import type { LayerInfo } from '../routes/compile.ts'
import type { Next } from '../routes/routes.ts'
import type { ErrorScope, RunningAttempt } from './attempt-types.ts'

/**
 * Makes a function that runs the middleware in front of a route, outermost first. Each runs once for a message, and
 * each `with` and condition is evaluated once, however many routes are behind it. `run(vars)` calls the handler with
 * the collected context. `skip()` skips the route when a condition is false.
 *
 * @param contextOf makes the context of a layer, whose replies use the layer's own id.
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
        return withinScope(running, part, () => middleware(withVars(contextOf(part.id), vars), next))
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

type InScope = Pick<RunningAttempt, 'scope' | 'errorScopes'>

/** Runs code of the app. Its errors go to the error handlers of this scope. */
export async function withinScope<T>(running: InScope, scope: ErrorScope, run: () => T | Promise<T>): Promise<T> {
  const outer = running.scope
  running.scope = scope
  try {
    return await run()
  } catch (error) {
    assignScope(running, error, scope)
    throw error
  } finally {
    // An interrupted attempt fails where it waits, not in scopes that have ended.
    running.scope = outer
  }
}

/** Assigns an effect's errors to the scope in which it began, because it may fail while other code runs. */
export async function trackedInScope<T>(running: InScope, work: () => Promise<T>): Promise<T> {
  const { scope } = running
  try {
    return await work()
  } catch (error) {
    assignScope(running, error, scope)
    throw error
  }
}

/** Assigns an error to the innermost scope that it passes through. */
export function assignScope(running: InScope, error: unknown, scope: ErrorScope): void {
  running.errorScopes ??= new Map()
  if (!running.errorScopes.has(error)) running.errorScopes.set(error, scope)
}

export function scopeOf({ errorScopes, scope }: InScope, error: unknown): ErrorScope {
  return errorScopes?.get(error) ?? scope
}
