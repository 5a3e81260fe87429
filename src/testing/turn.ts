import { type Sending, sentOf } from './sendings.ts'
import { isReply, type Sent } from './shown.ts'

/** What came of something that happened. Plain data. */
export interface Turn {
  /** What arrived meanwhile on the customer's phone, the oldest first; after `event` and `advance`, on any phone. */
  readonly replies: Sent[]
  /** Their texts, a line each. */
  readonly text: string
  /** All that went out meanwhile, to whomever, in its order, and what the service refused. */
  readonly sent: Sent[]
}

/** `isOwn` picks the replies of this turn out of all that was sent. */
export function turnOf(sendings: readonly Sending[], isOwn: (sending: Sending) => boolean = () => true): Turn {
  const replies = sendings.filter(isOwn).map(sentOf).filter(isReply)
  return { replies, text: replies.map(({ text }) => text).join('\n'), sent: sendings.map(sentOf) }
}
