import type { DeliveryHeaders } from '../../contract/index.ts'
import type { Attempt, Delivery } from './delivery.ts'
import { sign } from './sign.ts'

/** What an attempt's signature is made of, for one who looks for why it was refused. */
export type SignatureView = {
  readonly timestamp: string
  readonly sent: string
  /** What the subscription's present secret gives over the timestamp and the bytes as they were sent. */
  readonly expected: string
  /** Seconds from this machine's clock to the timestamp, when it was sent. */
  readonly skewSeconds: number
}

export function signaturesOf({ attempts, subscription }: Delivery, names: DeliveryHeaders): SignatureView[] {
  return attempts.map((attempt) => signatureOf(attempt, subscription.secret, names))
}

function signatureOf({ request, wall }: Attempt, secret: string, names: DeliveryHeaders): SignatureView {
  const timestamp = request.headers[names.timestamp] ?? ''
  return {
    timestamp,
    sent: request.headers[names.signature] ?? '',
    expected: sign(request.body, timestamp, secret),
    skewSeconds: Number(timestamp) - Math.floor(wall.at / 1_000),
  }
}
