import { renameUnlessThere } from '../../../store/customers/customer.ts'
import { sql } from '../../../store/database/sql.ts'
import { all, execute } from '../../../store/database/steps.ts'
import { customers } from '../../../store/database/customer-tables.ts'
import type { StoreEffects } from '../../../store/database/store-effects.ts'
import { notes, people } from './people-tables.ts'
import { forgetPerson, markAnswered, prunePeople, waitsForPerson, waitsAgain, waitsUnanswered } from './queue.ts'

export const effects = {
  tables: { people, notes },
  leftToPerson: waitsUnanswered,
  personAnswered: markAnswered,
  answerFailed: waitsAgain,
  waitsForPerson,
  forgetCustomer: forgetPerson,
  prune: prunePeople,
  ofCustomer: {
    kept: {
      takeovers: {
        numbers: (customer) =>
          sql`SELECT number FROM ${customers} WHERE customer = ${customer} AND taken_by IS NOT NULL`,
        read: (customer) =>
          all(sql`
            SELECT number, taken_by AS by, taken_since AS since, taken_until AS until FROM ${customers}
            WHERE customer = ${customer} AND taken_by IS NOT NULL ORDER BY number`),
      },
      people: {
        numbers: (customer) => sql`SELECT number FROM ${people} WHERE customer = ${customer}`,
        read: (customer) =>
          all(
            sql`SELECT number, state, since, why, assignee FROM ${people} WHERE customer = ${customer} ORDER BY number`,
          ),
      },
      notes: {
        numbers: (customer) => sql`SELECT number FROM ${notes} WHERE customer = ${customer}`,
        read: (customer) =>
          all(sql`SELECT number, at, who, note FROM ${notes} WHERE customer = ${customer} ORDER BY seq`),
      },
    },
    moves: {
      people: {
        keys: ['number', 'customer'],
        *move({ state, since }, { number, customer }, to) {
          const of = (whose: string) => sql`number = ${number} AND customer = ${whose}`
          // If both customers have a row, the one that waits stays. If both wait, the longer wait stays.
          if (state === 'waiting' || state === 'snoozed')
            yield* execute(sql`
              DELETE FROM ${people} WHERE ${of(to)} AND (state NOT IN ('waiting', 'snoozed') OR since >= ${since})`)
          yield* renameUnlessThere(sql`people`, of(customer), of(to), to)
        },
      },
      notes: {
        keys: ['seq'],
        *move({ seq }, _who, to) {
          yield* execute(sql`UPDATE ${notes} SET customer = ${to} WHERE seq = ${seq}`)
        },
      },
    },
  },
} as const satisfies StoreEffects
