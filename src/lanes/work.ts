import type { MaybeAsync } from '../base/value.ts'
import type { Claim, Claimed, Fence, Room } from '../stores/port/index.ts'

/** One kind of work that is done in lanes: the inbox's items, or the outbox's sends. */
export interface LaneWork<Work> {
  claim(claim: Claim): Promise<Claimed<Work>>
  /** Does the work and settles it. Resolves with the lane's next work, or undefined if the lane was released. */
  run(fence: Fence, work: Work, turn: Turn): Promise<Work | undefined>
}

/** The turn of one piece of work in its lane. */
export interface Turn {
  /**
   * Says that the work has ended and only its settlement is left, which rides on a commit with others: its slot is free
   * for other lanes. The answer is what the settlement needs to begin the lane's next work, if there is room by then;
   * without `goOn` others come first, or the bot stops.
   */
  end(): { readonly goOn: boolean; readonly room: Room }
  /** Renews the lease if it is nearly over, as after a read that waited long; false if another process has the lane. */
  keepLane(): MaybeAsync<boolean>
}
