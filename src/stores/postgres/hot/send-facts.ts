import { customerLane } from '../../operations/lanes/lanes.ts'
import { FACTS, factsIn, type FactsRow, JOINED_FACTS, type SendFacts } from '../../operations/sends/sends.ts'
import type { CustomerOfNumber } from '../../port/index.ts'
import type { HotTx } from '../transaction.ts'
import { listsOf, type RowOf, rowsOf } from './rows.ts'

/** A customer of a number, as the columns that facts are joined to. */
export const WHO = { number: 'text', customer: 'text', own_lane: 'text' } as const

export function whoOf({ number, customer }: CustomerOfNumber): RowOf<typeof WHO> {
  return { number, customer, own_lane: customerLane({ number, customer }) }
}

/** `sendFacts` of the operations, for a group. */
export async function factsOf(tx: HotTx, customers: readonly CustomerOfNumber[]): Promise<readonly SendFacts[]> {
  if (customers.length === 0) return []
  const rows = await tx.rows<FactsRow & { n: number }>(FACTS_OF, listsOf(WHO, customers.map(whoOf)))
  return rows.map((row) => factsIn(row, customers[row.n - 1] as CustomerOfNumber))
}

const FACTS_OF = `
SELECT who.n, ${FACTS.text} FROM (SELECT * FROM ${rowsOf(WHO)}) AS who ${JOINED_FACTS.text} ORDER BY who.n`
