import { createHmac, randomBytes } from 'node:crypto'
import type { Assumptions } from './assumptions.ts'

const REMEMBERED_MS = 24 * 3_600_000

export interface SentBody {
  readonly raw: Buffer
  readonly json: Readonly<Record<string, unknown>>
  /** The body contains a one-time code. Nobody must be able to find it out from what is stored (OTP-08). */
  readonly containsCode?: boolean
}

interface KeptAnswer {
  readonly status: number
  readonly body: string
}

/**
 * What a send with a key finds. A new key is `first`. Then call `settle`, and the key is remembered with its answer, or
 * `release`, and the next send with it is `first` again. Until then it is `in_flight`. With another body than that of
 * the first send a known key is `reused`.
 */
export type Claim =
  | { readonly is: 'first'; settle(answer: KeptAnswer): void; release(): void }
  | { readonly is: 'in_flight' }
  | { readonly is: 'settled'; readonly answer: KeptAnswer }
  | { readonly is: 'reused' }

export type KeyView = { readonly number: string; readonly key: string; readonly state: 'in_flight' | 'settled' }

interface KeyRecord {
  readonly number: string
  readonly key: string
  readonly fingerprint: string
  readonly containsCode: boolean
  settled: { readonly answer: KeptAnswer; readonly at: number } | undefined
}

interface KeysDeps {
  readonly now: () => number
  readonly assumptions: Pick<Assumptions, 'keysRememberedFor'>
}

export function createKeys({ now, assumptions }: KeysDeps) {
  const records = new Map<string, KeyRecord>()
  // Without a secret anybody could find a code of six digits by hashing all (OTP-08).
  const secret = randomBytes(32)
  const fingerprintOf = ({ raw }: SentBody) => createHmac('sha256', secret).update(raw).digest('hex')

  const isForgotten = ({ containsCode }: KeyRecord): boolean => {
    const reading = assumptions.keysRememberedFor
    if (reading === 'literal') return !containsCode
    return reading === 'until_settled' || (reading === 'codes_until_settled' && containsCode)
  }

  const recall = (id: string): KeyRecord | undefined => {
    const known = records.get(id)
    if (known?.settled && (isForgotten(known) || now() - known.settled.at >= REMEMBERED_MS)) records.delete(id)
    return records.get(id)
  }

  const settle = (record: KeyRecord, { status, body }: KeptAnswer): void => {
    if (isForgotten(record)) records.delete(keyId(record.number, record.key))
    else record.settled = { answer: { status, body }, at: now() }
  }

  return {
    claim(number: string, key: string, body: SentBody): Claim {
      const id = keyId(number, key)
      const fingerprint = fingerprintOf(body)
      const known = recall(id)
      if (known && known.fingerprint !== fingerprint) return { is: 'reused' }
      if (known) return known.settled ? { is: 'settled', answer: known.settled.answer } : { is: 'in_flight' }
      const record: KeyRecord = {
        number,
        key,
        fingerprint,
        containsCode: body.containsCode ?? false,
        settled: undefined,
      }
      records.set(id, record)
      return { is: 'first', settle: (answer) => settle(record, answer), release: () => void records.delete(id) }
    },
    list: (): readonly KeyView[] =>
      [...records.keys()]
        .map(recall)
        .filter((record) => record !== undefined)
        .map(({ number, key, settled }) => ({ number, key, state: settled ? 'settled' : 'in_flight' })),
  }
}

function keyId(number: string, key: string): string {
  return JSON.stringify([number, key])
}
