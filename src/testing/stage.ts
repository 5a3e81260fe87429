import type { Duration } from '../base/duration.ts'
import type { Customer } from './customer.ts'
import type { Turn } from './turn.ts'

/** What happens to a bot. */
export interface Stage {
  /**
   * A customer by the digits of a phone number, who writes to the bot's first number, or to `number`.
   *
   * @throws SwitchhookError `options_invalid`
   */
  customer(digits: string, o?: { number?: string }): Customer
  /** An event by its name with this very payload, to the first number or to `number`. A turn. */
  event(name: string, payload: object, o?: { number?: string }): Promise<Turn>
  /**
   * Lets time pass, such as `'25h'`: what falls due on the way happens at its time and in its order. A turn, also for
   * what the app did outside any.
   */
  advance(span: Duration): Promise<Turn>
}
