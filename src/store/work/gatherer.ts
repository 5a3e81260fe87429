import type { Steps } from '../database/steps.ts'

/**
 * Gathers items of a lane. They wait outside the lane, in the state `gathering`, until they enter it as one bundle.
 * `Rules`: of an item, see `NewItem.gathers`.
 */
export interface Gatherer<Rules> {
  /** Opens an item that is gathered. Returns true if the lane was free, and nothing was gathered for it before. */
  gather(item: GatheredItem, rules: Rules): Steps<boolean>
  /** Lets the gathered items enter the lane now, because another item is about to enter behind them. */
  seal(lane: string, now: number): Steps<void>
  /** Lets gathered items that are due enter the lane, now or when it is free. */
  sealIfFree(lane: string, now: number): Steps<void>
  /** Lets gathered items that wait for a free lane enter it. Returns false if there are none. */
  sealWaiting(lane: string, now: number): Steps<boolean>
}

export interface GatheredItem {
  readonly item: number
  readonly lane: string
  readonly number: string
  readonly at: number
  readonly now: number
}
