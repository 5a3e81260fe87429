import { createHmac, randomBytes } from 'node:crypto'
import type { Assumptions } from '../assumptions.ts'
import type { HttpAnswer } from '../http/messages.ts'
import type { SentBody } from './validation.ts'

const REMEMBERED_MS = 24 * 3_600_000

/**
 * What a key says about a send that carries it.
 *
 * none → `first`: in flight, until `settle` (remembered) or `release` (forgotten: the next one is a real
 * attempt). In flight and repeated → `in_flight`; settled with the same body → `settled`; another body → `reused`.
 * By a fault, `hold` keeps an accepted send in flight for so many repeats, and `forget` loses a settled key.
 */
export type Claim =
  | {
      readonly is: 'first'
      settle(answer: HttpAnswer): void
      hold(answer: HttpAnswer, repeats: number | undefined): void
      release(): void
    }
  | { readonly is: 'in_flight' }
  | { readonly is: 'settled'; readonly answer: HttpAnswer }
  | { readonly is: 'reused' }

export type KeyView = {
  readonly number: string
  readonly key: string
  readonly state: 'in_flight' | 'settled'
  /** Repeats that are still answered 409; null: until it is released. Only where a fault holds the key. */
  readonly held?: number | null
}

/** The idempotency keys that the service remembers, each number's apart (GEN-03). */
export interface Keys {
  claim(number: string, key: string, body: SentBody): Claim
  /** What a claim would say, without making one. */
  look(number: string, key: string, body: SentBody): Claim['is']
  list(): readonly KeyView[]
  /** Settles what a fault holds in flight: this key, or all. Answers how many. */
  release(key?: string): number
  /** Forgets what is settled: this key, or all. Answers how many. */
  forget(key?: string): number
}

interface Remembered {
  readonly number: string
  readonly key: string
  readonly fingerprint: string
  settled: { readonly answer: HttpAnswer; readonly at: number } | undefined
  held: { readonly answer: HttpAnswer; repeats: number } | undefined
}

export function createKeys(
  now: () => number,
  assumptions: Pick<Assumptions, 'keysRememberedFor' | 'bodiesCompared'>,
): Keys {
  const remembered = new Map<string, Remembered>()
  // Keyed by a secret of this run: a plain hash of a body with a six-digit code in it would give the code away.
  const secret = randomBytes(32)
  const fingerprintOf = ({ raw, json }: SentBody) =>
    createHmac('sha256', secret)
      .update(assumptions.bodiesCompared === 'json' ? canonical(json, raw) : raw)
      .digest('hex')
  const idOf = (number: string, key: string) => JSON.stringify([number, key])

  const recall = (id: string): Remembered | undefined => {
    const known = remembered.get(id)
    if (known?.settled && now() - known.settled.at >= REMEMBERED_MS) remembered.delete(id)
    return remembered.get(id)
  }

  const settle = (it: Remembered, answer: HttpAnswer) => {
    it.held = undefined
    if (assumptions.keysRememberedFor === 'until_settled') remembered.delete(idOf(it.number, it.key))
    else it.settled = { answer, at: now() }
  }

  const judged = (known: Remembered | undefined, body: SentBody): Claim['is'] => {
    if (known === undefined) return 'first'
    if (known.fingerprint !== fingerprintOf(body)) return 'reused'
    return known.settled ? 'settled' : 'in_flight'
  }

  const chosen = (key: string | undefined) =>
    [...remembered.values()].filter((it) => key === undefined || it.key === key)

  return {
    claim(number, key, body) {
      const id = idOf(number, key)
      const known = recall(id)
      const is = judged(known, body)
      if (known?.settled && is === 'settled') return { is, answer: known.settled.answer }
      if (known?.held && is === 'in_flight' && --known.held.repeats <= 0) settle(known, known.held.answer)
      if (is === 'reused' || is === 'in_flight') return { is }
      const claimed: Remembered = { number, key, fingerprint: fingerprintOf(body), settled: undefined, held: undefined }
      remembered.set(id, claimed)
      return {
        is: 'first',
        settle: (answer) => settle(claimed, answer),
        hold(answer, repeats = Number.POSITIVE_INFINITY) {
          claimed.held = { answer, repeats }
        },
        release: () => void remembered.delete(id),
      }
    },
    look: (number, key, body) => judged(recall(idOf(number, key)), body),
    list: () =>
      chosen(undefined).map(({ number, key, settled, held }) => ({
        number,
        key,
        state: settled ? 'settled' : 'in_flight',
        ...(held && { held: Number.isFinite(held.repeats) ? held.repeats : null }),
      })),
    release(key) {
      const held = chosen(key).filter((it) => it.held !== undefined)
      for (const it of held) if (it.held) settle(it, it.held.answer)
      return held.length
    },
    forget(key) {
      const settled = chosen(key).filter((it) => it.settled !== undefined)
      for (const it of settled) remembered.delete(idOf(it.number, it.key))
      return settled.length
    },
  }
}

/** JSON text in which the order of members no longer counts; the bytes where it nests too deeply to be written. */
function canonical(json: unknown, raw: Buffer): string | Buffer {
  try {
    return JSON.stringify(json, (_, member: unknown) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
        : member,
    )
  } catch {
    return raw
  }
}
