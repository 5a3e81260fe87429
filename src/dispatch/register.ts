import type { Env } from './context.ts'
import type { RouteTable, Routes } from './routes.ts'

/** The methods of `Routes`, which answer the bot itself. */
export function registering(table: RouteTable): Routes<Env> {
  return {
    hears(what: Parameters<RouteTable['hears']>[0], handler: never) {
      table.hears(what, handler)
      return this
    },
    tapped(id: string, handler: never) {
      table.tapped(id, handler)
      return this
    },
    received(...given: [never] | [string, never]) {
      const [kind, handler] = given.length === 1 ? [undefined, given[0]] : given
      table.received(kind, handler)
      return this
    },
    otherwise(handler: never) {
      table.otherwise(handler)
      return this
    },
    onError(handler: RouteTable['errorHandlers'][number]) {
      table.errorHandlers.push(handler)
      return this
    },
    onDead(handler: RouteTable['deadHandlers'][number]) {
      table.deadHandlers.push(handler)
      return this
    },
    on(event: string, handler: never) {
      table.on(event, handler)
      return this
    },
  } as Routes<Env>
}
