/**
 * Messages of a customer that come close together are gathered, and handled as one burst: one attempt, one cause, one
 * settlement. Its members are sealed before its first run, at the latest in the commit that begins it; what comes later
 * is gathered for the next one. Spans are milliseconds of wall time.
 */
export interface BurstRules {
  /** A burst is handled once its customer has been quiet for this long. */
  readonly quietMs: number
  /** It is handled this long after its first message, although the customer writes on. */
  readonly maxMs: number
  /** It is sealed with so many messages, and handled at once. */
  readonly maxMessages: number
}

/**
 * The part that an item takes in bursts: it is gathered by these rules, or it is handled alone and at once, and what was
 * gathered before it is sealed. Without either it is handled alone, and seals nothing.
 */
export type BurstPart = BurstRules | 'flushes'

/** A message of a burst beside its last one, which is the item itself. */
export interface EarlierMessage {
  readonly deliveryId: string
  /** Service time. */
  readonly at: number
  /** As JSON. */
  readonly facts: string
  /** See `NewDelivery`. */
  readonly trace?: string | undefined
}
