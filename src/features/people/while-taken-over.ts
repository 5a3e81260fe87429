import type { BuiltInOption } from '../../bot/feature.ts'
import { oneOf } from '../../bot/option-checks.ts'
import { checkHandler, RouteTable } from '../../bot/routes/table.ts'

export const takenOver: BuiltInOption = { check: oneOf('rest', 'run') }

/** @param routesOf makes the methods that register routes in a table. */
export function routeMethods(table: RouteTable, routesOf: (table: RouteTable) => object) {
  return {
    whileTakenOver(register: (routes: object) => unknown) {
      checkHandler('whileTakenOver', register)
      const child = new RouteTable('whileTakenOver')
      table.add({ child, layer: undefined, inSilence: 'whileTakenOver' })
      register(routesOf(child))
      return this
    },
  }
}
