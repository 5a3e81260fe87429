import type { Steps } from '../steps.ts'

/**
 * Gathers items of a lane: they wait outside it, in the state `gathering`, until they enter it as one bundle. `Rules`:
 * what an item says of it, see `NewItem.gathers`.
 */
export interface Gatherer<Rules> {
  /** Opens an item that is gathered. Returns true if the lane was free, and nothing was gathered for it before. */
  gather(item: GatheredItem, rules: Rules): Steps<boolean>
  /** Lets the gathered items enter the lane now. Something else enters behind them. */
  seal(lane: string, now: number): Steps<void>
  /** The gathered items are due: they enter the lane, now or when it is free. */
  sealIfFree(lane: string, now: number): Steps<void>
  /** The lane is free. Returns true if gathered items have entered it. */
  sealWaiting(lane: string, now: number): Steps<boolean>
}

export interface GatheredItem {
  readonly item: number
  readonly lane: string
  readonly number: string
  readonly at: number
  readonly now: number
}
