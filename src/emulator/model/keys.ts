import { createHmac, randomBytes } from 'node:crypto'
import type { Assumptions } from './assumptions.ts'

const REMEMBERED_MS = 24 * 3_600_000

export interface SentBody {
  readonly raw: Buffer
  readonly json: Readonly<Record<string, unknown>>
  /** True if the body contains a one-time code. */
  readonly containsCode?: boolean
}

export interface KeptAnswer {
  readonly status: number
  readonly body: string
}

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
  // A fingerprint without a secret would reveal a one-time code to anybody who tries all codes (OTP-08).
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

  return {
    /**
     * Returns the answer to the first send with this key, or why there is none. For a new key it returns undefined, and
     * the key is in flight until `settle` or `release` is called.
     */
    claim(number: string, key: string, body: SentBody): KeptAnswer | 'in_flight' | 'reused' | undefined {
      const id = keyId(number, key)
      const fingerprint = fingerprintOf(body)
      const known = recall(id)
      if (known) return known.fingerprint === fingerprint ? (known.settled?.answer ?? 'in_flight') : 'reused'
      records.set(id, { number, key, fingerprint, containsCode: body.containsCode ?? false, settled: undefined })
      return undefined
    },
    /** From now on a repeat gets this answer, for as long as the service remembers the key. */
    settle(number: string, key: string, { status, body }: KeptAnswer): void {
      const record = records.get(keyId(number, key))
      if (record) record.settled = { answer: { status, body }, at: now() }
      recall(keyId(number, key))
    },
    /** After this, the next send with the key counts as the first. */
    release: (number: string, key: string) => void records.delete(keyId(number, key)),
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
