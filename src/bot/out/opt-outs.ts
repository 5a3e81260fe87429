import type { Clock } from '../../base/clock.ts'
import { optionsInvalid } from '../../base/errors.ts'
import { type Check, checkMembers, expecting } from '../option-checks.ts'
import type { CustomerOfNumber, Fence } from '../../store/types/types.ts'
import type { Store } from '../../store/store.ts'
import { AttemptOver } from './send.ts'

export interface OptOutOptions {
  /** How the customer opted out, such as `'web form'`. It outlives `forget`, so put no personal data into it. */
  how: string
  /** When the customer said so. Default: now. */
  at?: Date
}

export type OptOuts = ReturnType<typeof createOptOuts>

/** An opt-out that is in force. */
export interface OptedOut {
  readonly at: Date
  readonly how: string
}

const LONGEST_HOW = 100
const CHECKS: Record<keyof OptOutOptions, Check> = {
  how: expecting(
    `a text of 1 to ${LONGEST_HOW} characters, such as 'web form'`,
    (value) => typeof value === 'string' && value.length > 0 && value.length <= LONGEST_HOW,
  ),
  at: expecting('a Date', (value) => value instanceof Date && Number.isFinite(value.getTime())),
}

/** Each change throws `AttemptOver` if the lane of its fence was lost. */
export function createOptOuts(o: { store: Store; clock: Clock; oneBusiness: boolean }) {
  const { store, clock, oneBusiness: anyNumber } = o

  function checked(name: string, { how, at, ...more }: OptOutOptions, who: CustomerOfNumber) {
    if (how === undefined) throw optionsInvalid(`${name}().how: expected how the customer said it, such as 'web form'`)
    checkMembers({ how, at, ...more }, `${name}()`, CHECKS)
    // After a time in the future, the customer's next answer would look older.
    const now = clock.service()
    return { ...who, how, at: Math.min(at?.getTime() ?? now, now) }
  }

  return {
    async optOut(who: CustomerOfNumber, given: OptOutOptions, fence?: Fence): Promise<void> {
      if (!(await store.optOut(checked('optOut', given ?? {}, who), fence))) throw new AttemptOver('its lane was lost')
    },
    /** False if the customer has opted out since `at`. */
    async optIn(who: CustomerOfNumber, given: OptOutOptions, fence?: Fence): Promise<boolean> {
      const end = await store.optIn(checked('optIn', given ?? {}, who), { anyNumber }, fence)
      if (end === undefined) throw new AttemptOver('its lane was lost')
      return end === 'done'
    },
    async optedOut(who: CustomerOfNumber): Promise<OptedOut | undefined> {
      const found = await store.optOutOf(who, anyNumber)
      return found && { at: new Date(found.at), how: found.how }
    },
  }
}
