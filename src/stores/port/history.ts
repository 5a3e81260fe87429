/** The last that was said between a customer and the bot, each side newest first. Erased rows are not in it. */
export interface History {
  /** Messages whose handling has begun; a message that waits for its turn is not among them. */
  readonly received: readonly Received[]
  /** Sends that the service took, without one-time codes. */
  readonly sent: readonly Sent[]
}

export interface Received {
  /** Service time. */
  readonly at: number
  /** Wall time. */
  readonly receivedAt: number
  /** Service time minus wall time when the message came. */
  readonly clockOffset: number
  readonly cause: string
  /** Undefined once they were wiped by age. */
  readonly facts: string | undefined
}

export interface Sent {
  /** Wall time. */
  readonly acceptedAt: number
  readonly cause: string
  /** The bytes that went out. */
  readonly body: string
}
