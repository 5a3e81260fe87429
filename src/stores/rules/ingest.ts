import type { Identity, IngestOutcome, Ingested, ItemState, NewItem } from '../port/index.ts'

/**
 * The next step for a pending delivery that ingest has read:
 *
 * `insert` its items, `replace` the parked items of an earlier ingest by them, put the delivery to `rest` with a note,
 * `compare` a conflict with the first delivery under its id, `wait` as pending for another ingest, or `keep` all as it
 * is.
 */
export type IngestPlan = 'insert' | 'replace' | 'rest' | 'compare' | 'wait' | 'keep'

/**
 * Decides the next step. `again`: a person had the delivery ingested once more; `hasItems`: an earlier ingest made
 * items.
 */
export function planIngest(
  read: Ingested['state'],
  { again, hasItems }: { again: boolean; hasItems: boolean },
): IngestPlan {
  // A process that is slower than the person still read it as a conflict, so whoever looks next reads it anew.
  if (read === 'conflict') return again ? 'wait' : 'compare'
  if (!hasItems) return read === 'ingested' ? 'insert' : 'rest'
  // Understood no better than before: parked items stay, rather than vanish.
  return read === 'ingested' ? 'replace' : 'keep'
}

/**
 * The service may render a delivery anew: the same message in other bytes is no conflict.
 *
 * @param claimed for each item, whether the first delivery under this id has claimed its identity and binding.
 */
export function isRenderedAnew(claimed: readonly boolean[]): boolean {
  return claimed.length > 0 && claimed.every(Boolean)
}

export type ClaimOutcome = 'free' | 'same_message' | 'reused'

/** An identity is claimed once, by the first to come; another binding means another message under the same id. */
export function judgeClaim({ binding }: Identity, known: { readonly binding: string } | undefined): ClaimOutcome {
  if (!known) return 'free'
  return known.binding === binding ? 'same_message' : 'reused'
}

/** An attempt at an item before it was parked: its handlers may have replied, which binds the item that replaces it. */
export interface EarlierRun {
  /** Keys of replies are made of it. */
  readonly cause: string
}

export interface PlacedItem {
  readonly state: ItemState
  readonly cause: string
  /** The item waits for its turn in its lane; otherwise it is at rest from the start. */
  readonly waits: boolean
  /** Said to the caller about its identity. */
  readonly outcome: IngestOutcome['identity'] | undefined
}

/** Decides how an item is stored. `claimed` is undefined for an item without an identity. */
export function placeItem(item: NewItem, claimed: ClaimOutcome | undefined, ran: EarlierRun | undefined): PlacedItem {
  const isKnown = claimed === 'same_message'
  return {
    state: isKnown ? 'same_message' : item.state,
    cause: ran?.cause ?? ((claimed === 'free' && item.cause.identity) || item.cause.signed),
    waits: item.state === 'stored' && !isKnown,
    outcome: claimed === 'free' ? undefined : claimed,
  }
}
