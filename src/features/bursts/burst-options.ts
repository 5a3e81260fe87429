import type { Duration } from '../../base/duration.ts'

/** When several messages that a customer writes in a row are handled as one. */
export interface BurstOptions {
  /** The messages are handled after the customer has written nothing for this long. */
  quiet: Duration
  /** The messages are handled at the latest this long after the first message. Default five times `quiet`. */
  max?: Duration
  /** After this many messages they are handled at once. Default 20. */
  maxMessages?: number
}

export interface BurstOption {
  /** Messages in a row are handled as one, in `ctx.messages`. Example: `{ quiet: '1500ms' }`. Default: each alone. */
  burst?: BurstOptions
}

export interface BurstRouteOption {
  /** `false`: a message of this route is handled alone and at once, after the burst before it. */
  burst?: false
}

export const handledAlone = false satisfies BurstRouteOption['burst']
