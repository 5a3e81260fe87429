import type { Clock } from '../../base/clock.ts'
import { optionsInvalid } from '../../base/errors.ts'
import { type Checks, checkMembers, expecting } from '../option-checks.ts'
import type { Store } from '../../store/store.ts'
import { AttemptOver } from './send.ts'
import { adoptOptOuts, type SameCustomer } from '../same-customer.ts'
import { WINDOW_MS } from '../../service/contract.ts'
import type { WindowTimer, SaidOptOut } from '../../store/customers/customer.ts'
import type { CustomerOfNumber } from '../../store/database/customer-tables.ts'
import type { DueSend } from '../../store/outbox/rows.ts'
import type { Via } from '../../store/database/outbox-tables.ts'
import type { Fence } from '../../store/work/lanes.ts'

/** The customer's 24-hour window. `unknown` if no message with a trusted time has arrived. */
export interface Window {
  readonly open: boolean | 'unknown'
  readonly closesAt: Date | undefined
}

/**
 * @param lastInboundAt service time of the customer's last message.
 * @param now service time. Exactly 24 hours later is closed, by assumption (GEN-04).
 */
export function windowAt(lastInboundAt: number | undefined, now: number): Window {
  if (lastInboundAt === undefined) return { open: 'unknown', closesAt: undefined }
  const closesAt = lastInboundAt + WINDOW_MS
  return { open: now < closesAt, closesAt: new Date(closesAt) }
}

/** The timers that are due this long before the end of a window that a message at this service time has opened. */
export function timersOfWindow(lastInboundAt: number, befores: readonly number[]): readonly WindowTimer[] {
  return befores.map((before) => ({ before, dueAt: lastInboundAt + WINDOW_MS - before }))
}

/**
 * Chooses the body of a send. The service decides about the window; our own knowledge only saves a request. The
 * template is sent first if a trusted time says closed and no unread delivery could say otherwise. Otherwise the
 * free-form body is sent first, because its refusal costs nothing: a 409 is authoritative. Marketing goes to many customers at
 * once, so its template is sent first unless the window is known to be open.
 */
export function viaOf({ send, lastInboundAt, unread }: DueSend, now: number): Via {
  if (send.via === 'template' || !send.fallback) return send.via
  const { open } = windowAt(lastInboundAt, now)
  const closed = send.isMarketing ? open !== true : open === false && !unread
  return closed ? 'template' : 'freeform'
}

export interface OptOutOptions {
  /** How the customer opted out, such as `'web form'`. It outlives `forget`, so put no personal data into it. */
  how: string
  /** When the customer opted out. Default: now. */
  at?: Date
}

/** An opt-out that is in force. */
export interface OptedOut {
  readonly at: Date
  readonly how: string
}

const LONGEST_HOW = 100
const CHECKS: Checks<OptOutOptions> = {
  how: expecting(
    `a text of 1 to ${LONGEST_HOW} characters, such as 'web form'`,
    (value) => typeof value === 'string' && value.length > 0 && value.length <= LONGEST_HOW,
  ),
  at: expecting('a Date', (value) => value instanceof Date && Number.isFinite(value.getTime())),
}

export type Customers = ReturnType<typeof createCustomers>

/**
 * Decides and stores what concerns one customer. Each change throws `AttemptOver` if the item of its fence was freed.
 */
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
