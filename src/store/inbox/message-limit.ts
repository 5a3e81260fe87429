import { countedIn, findCustomer } from '../customers.ts'
import { type Counted, countedWith } from '../rules/items.ts'
import type { Steps } from '../steps.ts'
import type { IngestOutcome } from './acceptance.ts'
import type { NewItem } from '../work/items.ts'

export interface Counting {
  readonly limit: NewItem['limit']
  readonly outcomes: IngestOutcome[]
}

/** Counts the message that arrives. The first message above the limit is reported. */
export function* countIn(
  { idx, number, customer }: NewItem,
  { limit, outcomes }: Counting,
): Steps<Counted | undefined> {
  if (!limit || customer === undefined) return undefined
  const counted = countedWith(countedIn(yield* findCustomer({ number, customer })), limit)
  if (counted.count === limit.messages + 1) outcomes.push({ idx, identity: 'over_limit' })
  return counted
}

/** Returns the reason for which a message is parked; undefined if it is within the limit. */
export function overLimit(counted: Counted | undefined, limit: NewItem['limit']): string | undefined {
  if (!counted || !limit || counted.count <= limit.messages) return undefined
  return `over_limit: more than ${limit.messages} messages of this customer in ${limit.everyMs / 1_000} s`
}
