import { createHmac, randomBytes } from 'node:crypto'
import type { HttpAnswer } from '../http/messages.ts'

const REMEMBERED_MS = 24 * 3_600_000

/**
 * What a key says about a send that carries it.
 *
 * none → `first`: in flight, until `settle` (remembered) or `release` (forgotten: the next one is a real
 * attempt). In flight and repeated → `in_flight`; settled with the same body → `settled`; another body → `reused`.
 */
export type Claim =
  | { readonly is: 'first'; settle(answer: HttpAnswer): void; release(): void }
  | { readonly is: 'in_flight' }
  | { readonly is: 'settled'; readonly answer: HttpAnswer }
  | { readonly is: 'reused' }

/** The idempotency keys that the service remembers. */
export interface Keys {
  claim(key: string, body: Buffer): Claim
}

interface Remembered {
  readonly fingerprint: string
  settled: { readonly answer: HttpAnswer; readonly at: number } | undefined
}

export function createKeys(now: () => number, remember: '24h' | 'until_settled'): Keys {
  const remembered = new Map<string, Remembered>()
  // Keyed by a secret of this run: a plain hash of a body with a six-digit code in it would give the code away.
  const secret = randomBytes(32)
  const fingerprintOf = (body: Buffer) => createHmac('sha256', secret).update(body).digest('hex')

  const recall = (key: string): Remembered | undefined => {
    const known = remembered.get(key)
    if (known?.settled && now() - known.settled.at >= REMEMBERED_MS) remembered.delete(key)
    return remembered.get(key)
  }

  return {
    claim(key, body) {
      const fingerprint = fingerprintOf(body)
      const known = recall(key)
      if (known && known.fingerprint !== fingerprint) return { is: 'reused' }
      if (known?.settled) return { is: 'settled', answer: known.settled.answer }
      if (known) return { is: 'in_flight' }
      const claimed: Remembered = { fingerprint, settled: undefined }
      remembered.set(key, claimed)
      return {
        is: 'first',
        settle(answer) {
          if (remember === 'until_settled') remembered.delete(key)
          else claimed.settled = { answer, at: now() }
        },
        release: () => void remembered.delete(key),
      }
    },
  }
}
