import { createHmac, randomBytes } from 'node:crypto'
import type { Assumptions } from './assumptions.ts'

const REMEMBERED_MS = 24 * 3_600_000

export interface SentBody {
  readonly raw: Buffer
  readonly json: Readonly<Record<string, unknown>>
  /** The body contains a one-time code, which must not be recoverable from what is stored of the body (OTP-08). */
  readonly holdsCode?: boolean
}

interface KeptAnswer {
  readonly status: number
  readonly body: string
}

/**
 * The state of a send with a key.
 *
 * A new key is `first`: in flight until `settle` (remembered) or `release` (forgotten, so the next send is a real
 * attempt). A repeat of a key in flight is `in_flight`. A repeat of a settled key is `settled` with the same body, and
 * `reused` with another body. By a fault, `hold` keeps an accepted send in flight for a number of repeats.
 */
export type Claim =
  | {
      readonly is: 'first'
      settle(answer: KeptAnswer): void
      hold(answer: KeptAnswer, repeats: number | undefined): void
      release(): void
    }
  | { readonly is: 'in_flight' }
  | { readonly is: 'settled'; readonly answer: KeptAnswer }
  | { readonly is: 'reused' }

export type KeyView = {
  readonly number: string
  readonly key: string
  readonly state: 'in_flight' | 'settled'
  /** Repeats that are still answered 409; null: until the key is released. Only if a fault holds the key. */
  readonly held?: number | null
}

interface KeyRecord {
  readonly number: string
  readonly key: string
  readonly fingerprint: string
  readonly holdsCode: boolean
  settled: { readonly answer: KeptAnswer; readonly at: number } | undefined
  held: { readonly answer: KeptAnswer; repeats: number } | undefined
}

interface KeysDeps {
  readonly now: () => number
  readonly assumptions: Pick<Assumptions, 'keysRememberedFor'>
}

export function createKeys({ now, assumptions }: KeysDeps) {
  const records = new Map<string, KeyRecord>()
  // Anybody could guess a six-digit code from a plain hash of its body (OTP-08). This secret never leaves the process.
  const secret = randomBytes(32)
  const fingerprintOf = ({ raw }: SentBody) => createHmac('sha256', secret).update(raw).digest('hex')

  const isForgotten = ({ holdsCode }: KeyRecord): boolean => {
    const reading = assumptions.keysRememberedFor
    return reading === 'until_settled' || (reading === 'literal' && !holdsCode)
  }

  const recall = (id: string): KeyRecord | undefined => {
    const known = records.get(id)
    if (known?.settled && (isForgotten(known) || now() - known.settled.at >= REMEMBERED_MS)) records.delete(id)
    return records.get(id)
  }

  const settle = (record: KeyRecord, { status, body }: KeptAnswer): void => {
    record.held = undefined
    if (isForgotten(record)) records.delete(keyId(record.number, record.key))
    else record.settled = { answer: { status, body }, at: now() }
  }

  const compare = (known: KeyRecord | undefined, body: SentBody): Claim['is'] => {
    if (known === undefined) return 'first'
    if (known.fingerprint !== fingerprintOf(body)) return 'reused'
    return known.settled ? 'settled' : 'in_flight'
  }

  const select = (key: string | undefined) =>
    [...records.keys()]
      .map(recall)
      .filter((record) => record !== undefined)
      .filter((record) => key === undefined || record.key === key)

  return {
    claim(number: string, key: string, body: SentBody): Claim {
      const id = keyId(number, key)
      const known = recall(id)
      const is = compare(known, body)
      if (known?.settled && is === 'settled') return { is, answer: known.settled.answer }
      if (known?.held && is === 'in_flight' && --known.held.repeats <= 0) settle(known, known.held.answer)
      if (is === 'reused' || is === 'in_flight') return { is }
      const record: KeyRecord = {
        number,
        key,
        fingerprint: fingerprintOf(body),
        holdsCode: body.holdsCode ?? false,
        settled: undefined,
        held: undefined,
      }
      records.set(id, record)
      return {
        is: 'first',
        settle: (answer) => settle(record, answer),
        hold({ status, body: text }, repeats = Number.POSITIVE_INFINITY) {
          record.held = { answer: { status, body: text }, repeats }
        },
        release: () => void records.delete(id),
      }
    },
    look: (number: string, key: string, body: SentBody) => compare(recall(keyId(number, key)), body),
    list: (): readonly KeyView[] =>
      select(undefined).map(({ number, key, settled, held }) => ({
        number,
        key,
        state: settled ? 'settled' : 'in_flight',
        ...(held && { held: Number.isFinite(held.repeats) ? held.repeats : null }),
      })),
    release(key?: string): number {
      const held = select(key).filter((record) => record.held !== undefined)
      for (const record of held) if (record.held) settle(record, record.held.answer)
      return held.length
    },
    forget(key?: string): number {
      const settled = select(key).filter((record) => record.settled !== undefined)
      for (const record of settled) records.delete(keyId(record.number, record.key))
      return settled.length
    },
  }
}

function keyId(number: string, key: string): string {
  return JSON.stringify([number, key])
}
