import * as ofFeatures from '../../built-in/route-methods.ts'
import { sharedMap } from '../../base/shared.ts'
import { optionsInvalid, type SwitchhookError } from '../../base/errors.ts'
import type { Env, MessageContext } from './context.ts'
import type { RouteOptions, Routes } from './routes.ts'
import { checkHandler, type Layer, RouteTable } from './table.ts'

const tables = sharedMap<object, RouteTable>('routes')

/** @throws SwitchhookError `options_invalid` if neither `createBot` nor `routes` made the object. */
export function tableOf(routes: object): RouteTable {
  const table = tables.get(routes)
  if (table) return table
  throw optionsInvalid('expected a bot from createBot()')
}

export function attachTable<T extends object>(routes: T, table: RouteTable): T {
  tables.set(routes, table)
  return routes
}

/**
 * The methods of `Routes`. Each returns the object that it was called on.
 *
 * @param whole the table where a chain of `with` began. If an app mounts the last object of the chain, all of it is
 * mounted.
 */
export function routeMethods(table: RouteTable, whole = table): Routes {
  const chained = (...names: readonly (keyof RouteTable)[]) =>
    Object.fromEntries(
      names.map((name) => [
        name,
        function register(this: object, ...given: unknown[]) {
          const method = table[name] as (...given: unknown[]) => void
          method.apply(table, given)
          return this
        },
      ]),
    )
  const methods = {
    ...chained('hears', 'tapped', 'otherwise', 'on', 'onError', 'onDead', 'onSendFailed', 'onWindowClosing'),
    received(...given: [never, RouteOptions?] | [string, never, RouteOptions?]) {
      const [kind, handler, o] = typeof given[0] === 'function' ? [undefined, ...given] : given
      table.received(kind, handler as never, o)
      return this
    },
    use(what: object) {
      if (typeof what === 'function') table.add({ layer: { kind: 'use', run: what as Layer['run'] } })
      else mount(table, what, undefined)
      return this
    },
    with(vars: Layer['run']) {
      checkHandler('with', vars)
      const child = new RouteTable()
      table.add({ child, layer: { kind: 'with', run: vars } })
      return routeMethods(child, whole)
    },
    route(when: Layer['run'], child: object) {
      checkHandler('route', when)
      mount(table, child, { kind: 'when', run: when })
      return this
    },
    ...methodsOfFeatures(table),
  }
  return attachTable(methods, whole) as unknown as Routes
}

function methodsOfFeatures(table: RouteTable): object {
  const all = Object.values<(table: RouteTable, routesOf: typeof routeMethods) => object>(ofFeatures)
  return Object.assign({}, ...all.map((methods) => methods(table, routeMethods)))
}

/** The `Env` of a bot's type; of a type without one, the `Env` of every bot. */
type EnvOf<B extends { readonly '~env'?: unknown }> = [Extract<NonNullable<B['~env']>, Env>] extends [never]
  ? Env
  : Extract<NonNullable<B['~env']>, Env>

/** The context of a bot's messages, for functions outside handlers: `(ctx: ContextOf<typeof bot>) => …`. */
export type ContextOf<B extends { readonly '~env'?: unknown }> = MessageContext<EnvOf<B>>

/**
 * Makes routes in another module than their bot. `bot.use(orders)` mounts them.
 *
 *     const orders = routes<typeof bot>()
 *     orders.hears('order', (ctx) => ctx.reply('Which one?'))
 *
 * @param name a prefix for the ids of its routes. Needed if two mounted routes would have the same id.
 */
export function routes<B extends { readonly '~env'?: unknown }>(name?: string): Routes<EnvOf<B>> {
  return routeMethods(new RouteTable(name)) as unknown as Routes<EnvOf<B>>
}

function mount(table: RouteTable, what: object, layer: Layer | undefined): void {
  const child = tables.get(what)
  if (!child) throw refuse('expected a middleware, or the result of routes()')
  if (child === table || contains(child, table)) throw refuse('these routes cannot be mounted in themselves')
  table.add({ child, layer })
}

function contains(table: RouteTable, wanted: RouteTable): boolean {
  return table.entries.some((entry) => 'child' in entry && (entry.child === wanted || contains(entry.child, wanted)))
}

function refuse(why: string): SwitchhookError {
  return optionsInvalid(`use(): ${why}`)
}
