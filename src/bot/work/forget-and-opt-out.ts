import type { Clock } from '../../base/clock.ts'
import { optionsInvalid } from '../../base/errors.ts'
import { type Checks, checkMembers, expecting } from '../option-checks.ts'
import { AttemptOver } from '../outbox/send.ts'
import type { OptedOut, OptOutOptions } from '../routes/context.ts'
import { adoptOptOuts, type SameCustomer } from '../same-customer.ts'
import type { CustomerOfNumber } from '../../store/database/customer-tables.ts'
import type { SaidOptOut } from '../../store/customers/customer.ts'
import type { Store } from '../../store/store.ts'
import type { Fence } from '../../store/work/lanes.ts'

const LONGEST_HOW = 100
const CHECKS: Checks<OptOutOptions> = {
  how: expecting(
    `a text of 1 to ${LONGEST_HOW} characters, such as 'web form'`,
    (value) => typeof value === 'string' && value.length > 0 && value.length <= LONGEST_HOW,
  ),
  at: expecting('a Date', (value) => value instanceof Date && Number.isFinite(value.getTime())),
}

export type Customers = ReturnType<typeof createCustomers>

/** Forgets customers, and stores their opt-outs. Each change throws `AttemptOver` if its fence no longer holds. */
export function createCustomers(o: { store: Store; clock: Clock; oneBusiness: boolean; sameCustomer: SameCustomer }) {
  const { store, clock, oneBusiness: anyNumber, sameCustomer } = o

  function throwIfFreed(stands: boolean): void {
    if (!stands) throw new AttemptOver()
  }

  const spellings = (customer: string) => sameCustomer.digest !== undefined && { forms: sameCustomer.formsOf(customer) }

  function checked(name: string, { how, at, ...more }: OptOutOptions, who: CustomerOfNumber) {
    if (how === undefined) throw optionsInvalid(`${name}().how: expected how the customer said it, such as 'web form'`)
    checkMembers({ how, at, ...more }, `${name}()`, CHECKS)
    // Cap the time at now: after a time in the future, the customer's next answer would look older.
    const now = clock.service()
    return { ...who, how, at: Math.min(at?.getTime() ?? now, now) }
  }

  return {
    sameCustomer,
    /** What methods of features need. */
    deps: { store, clock },
    async forget(who: CustomerOfNumber, fence?: Fence): Promise<void> {
      throwIfFreed(await store.forget({ ...who, ...spellings(who.customer) }, clock.wall(), fence))
    },
    async optOut(who: CustomerOfNumber, given: OptOutOptions, fence?: Fence): Promise<void> {
      await adoptOptOuts(who.customer, o)
      throwIfFreed(await store.optOut(checked('optOut', given ?? {}, who), fence))
    },
    /** Ends an opt-out. Returns false if the customer has opted out since `at`. */
    async optIn(who: CustomerOfNumber, given: OptOutOptions, fence?: Fence): Promise<boolean> {
      await adoptOptOuts(who.customer, o)
      const end = await store.optIn(checked('optIn', given ?? {}, who), { anyNumber }, fence)
      throwIfFreed(end !== undefined)
      return end === 'done'
    },
    /** Records the item's opt-out or opt-in. Returns true if it is new, and must be confirmed. */
    async heardOptOut(who: CustomerOfNumber, said: Omit<SaidOptOut, 'anyNumber'>, fence: Fence): Promise<boolean> {
      await adoptOptOuts(who.customer, o)
      const isNew = await store.heardOptOut(who, { ...said, anyNumber }, fence)
      throwIfFreed(isNew !== undefined)
      return isNew === true
    },
    async optedOut(who: CustomerOfNumber): Promise<OptedOut | undefined> {
      await adoptOptOuts(who.customer, o)
      const found = await store.optOutOf(who, anyNumber)
      return found && { at: new Date(found.at), how: found.how }
    },
  }
}
