import type { Assumptions } from './assumptions.ts'
import {
  createFingerprints,
  keyId,
  type KeptAnswer,
  type KeyRecord,
  type KeySecret,
  restoreKey,
  type SavedKey,
  saveKey,
  type SentBody,
} from './key-record.ts'

const REMEMBERED_MS = 24 * 3_600_000

/**
 * The standing of a send that carries a key.
 *
 * none → `first`: in flight, until `settle` (remembered) or `release` (forgotten: the next send is a real attempt).
 * A repeat of a key in flight → `in_flight`; of a settled key with the same body → `settled`; with another body →
 * `reused`. By a fault, `hold` keeps an accepted send in flight for so many repeats.
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

/** The idempotency keys that the service remembers, each number's apart (GEN-03). */
export interface Keys {
  claim(number: string, key: string, body: SentBody): Claim
  /** The standing that a claim would have, without making one. */
  look(number: string, key: string, body: SentBody): Claim['is']
  list(): readonly KeyView[]
  /** Settles the keys that a fault holds in flight: this key, or all. Answers how many. */
  release(key?: string): number
  /** Forgets the settled keys: this key, or all. Answers how many. */
  forget(key?: string): number
  /** The ids of all keys, as `changed` is given them. */
  ids(): readonly string[]
  save(): readonly SavedKey[]
  saveOne(id: string): SavedKey | undefined
}

interface KeysDeps {
  readonly now: () => number
  readonly assumptions: Pick<Assumptions, 'keysRememberedFor' | 'bodiesCompared'>
  readonly secret: KeySecret
  /** Called with the id of each key that is new, changed or forgotten. */
  readonly changed: (id: string) => void
}

export function createKeys({ now, assumptions, secret, changed }: KeysDeps, saved: readonly SavedKey[] = []): Keys {
  const records = new Map(saved.flatMap((one) => restoreKey(one, secret)).map((it) => [keyId(it.number, it.key), it]))
  const fingerprints = createFingerprints(secret, assumptions)

  const drop = (id: string) => {
    if (records.delete(id)) changed(id)
  }

  /** Tells whether a key is forgotten as its request settles. */
  const isForgotten = ({ secretMark }: KeyRecord): boolean => {
    const reading = assumptions.keysRememberedFor
    const holdsCode = secretMark !== undefined
    return reading === 'until_settled' || (reading === 'literal' && !holdsCode)
  }

  const recall = (id: string): KeyRecord | undefined => {
    const known = records.get(id)
    if (known?.settled && (isForgotten(known) || now() - known.settled.at >= REMEMBERED_MS)) drop(id)
    return records.get(id)
  }

  const settle = (record: KeyRecord, { status, body }: KeptAnswer) => {
    const id = keyId(record.number, record.key)
    record.held = undefined
    if (isForgotten(record)) return drop(id)
    record.settled = { answer: { status, body }, at: now() }
    changed(id)
  }

  const compare = (known: KeyRecord | undefined, body: SentBody): Claim['is'] => {
    if (known === undefined) return 'first'
    if (!fingerprints.isSame(known, body)) return 'reused'
    return known.settled ? 'settled' : 'in_flight'
  }

  const select = (key: string | undefined) =>
    [...records.keys()]
      .map(recall)
      .filter((record) => record !== undefined)
      .filter((record) => key === undefined || record.key === key)

  return {
    claim(number, key, body) {
      const id = keyId(number, key)
      const known = recall(id)
      const is = compare(known, body)
      if (known?.settled && is === 'settled') return { is, answer: known.settled.answer }
      if (known?.held && is === 'in_flight') {
        changed(id)
        if (--known.held.repeats <= 0) settle(known, known.held.answer)
      }
      if (is === 'reused' || is === 'in_flight') return { is }
      const record: KeyRecord = { number, key, ...fingerprints.of(body), settled: undefined, held: undefined }
      records.set(id, record)
      return {
        is: 'first',
        settle: (answer) => settle(record, answer),
        hold({ status, body: text }, repeats = Number.POSITIVE_INFINITY) {
          record.held = { answer: { status, body: text }, repeats }
          changed(id)
        },
        release: () => drop(id),
      }
    },
    look: (number, key, body) => compare(recall(keyId(number, key)), body),
    list: () =>
      select(undefined).map(({ number, key, settled, held }) => ({
        number,
        key,
        state: settled ? 'settled' : 'in_flight',
        ...(held && { held: Number.isFinite(held.repeats) ? held.repeats : null }),
      })),
    release(key) {
      const held = select(key).filter((record) => record.held !== undefined)
      for (const record of held) if (record.held) settle(record, record.held.answer)
      return held.length
    },
    forget(key) {
      const settled = select(key).filter((record) => record.settled !== undefined)
      for (const record of settled) drop(keyId(record.number, record.key))
      return settled.length
    },
    ids: () => [...records.keys()],
    save: () => [...records.values()].flatMap(saveKey),
    saveOne(id) {
      const known = records.get(id)
      return known && saveKey(known)[0]
    },
  }
}
