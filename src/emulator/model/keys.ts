import type { Assumptions } from './assumptions.ts'
import type { HttpAnswer } from '../http/messages.ts'
import { createFingerprints } from './key-record.ts'
import { keyId, type KeySecret, type Remembered, type SavedKey, savedKey, wasSaved } from './key-record.ts'
import type { SentBody } from './key-record.ts'

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
  /** Of all that it remembers, as `changed` is told them. */
  ids(): readonly string[]
  save(): readonly SavedKey[]
  saveOne(id: string): SavedKey | undefined
}

export interface KeysParts {
  readonly now: () => number
  readonly assumptions: Pick<Assumptions, 'keysRememberedFor' | 'bodiesCompared'>
  readonly secret: KeySecret
  /** Is told the id of each key that is new, changed or forgotten. */
  readonly changed: (id: string) => void
}

export function createKeys({ now, assumptions, secret, changed }: KeysParts, saved: readonly SavedKey[] = []): Keys {
  const remembered = new Map(saved.flatMap((one) => wasSaved(one, secret)).map((it) => [keyId(it.number, it.key), it]))
  const fingerprints = createFingerprints(secret, assumptions)

  const drop = (id: string) => {
    if (remembered.delete(id)) changed(id)
  }

  const recall = (id: string): Remembered | undefined => {
    const known = remembered.get(id)
    const isForgotten = assumptions.keysRememberedFor === 'until_settled'
    if (known?.settled && (isForgotten || now() - known.settled.at >= REMEMBERED_MS)) drop(id)
    return remembered.get(id)
  }

  const settle = (it: Remembered, answer: HttpAnswer) => {
    const id = keyId(it.number, it.key)
    it.held = undefined
    if (assumptions.keysRememberedFor === 'until_settled') return drop(id)
    it.settled = { answer, at: now() }
    changed(id)
  }

  const judged = (known: Remembered | undefined, body: SentBody): Claim['is'] => {
    if (known === undefined) return 'first'
    if (!fingerprints.isSame(known, body)) return 'reused'
    return known.settled ? 'settled' : 'in_flight'
  }

  const chosen = (key: string | undefined) =>
    [...remembered.keys()]
      .map(recall)
      .filter((it) => it !== undefined)
      .filter((it) => key === undefined || it.key === key)

  return {
    claim(number, key, body) {
      const id = keyId(number, key)
      const known = recall(id)
      const is = judged(known, body)
      if (known?.settled && is === 'settled') return { is, answer: known.settled.answer }
      if (known?.held && is === 'in_flight') {
        changed(id)
        if (--known.held.repeats <= 0) settle(known, known.held.answer)
      }
      if (is === 'reused' || is === 'in_flight') return { is }
      const claimed: Remembered = { number, key, ...fingerprints.of(body), settled: undefined, held: undefined }
      remembered.set(id, claimed)
      return {
        is: 'first',
        settle: (answer) => settle(claimed, answer),
        hold(answer, repeats = Number.POSITIVE_INFINITY) {
          claimed.held = { answer, repeats }
          changed(id)
        },
        release: () => drop(id),
      }
    },
    look: (number, key, body) => judged(recall(keyId(number, key)), body),
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
      for (const it of settled) drop(keyId(it.number, it.key))
      return settled.length
    },
    ids: () => [...remembered.keys()],
    save: () => [...remembered.values()].flatMap(savedKey),
    saveOne(id) {
      const known = remembered.get(id)
      return known && savedKey(known)[0]
    },
  }
}
