import type { DeliveryDetail, DeliveryPage, DeliveryQuery, DeliveryRow, Holding, RecordedDelivery } from './inbox.ts'
import type { Pruned, Pruning } from './maintenance.ts'

/** What a person does about the inbox. */
export interface InboxAdmin {
  /** Deliveries in the order of their arrival, the newest first, a page at a time: ask with `next` until there is none. */
  listDeliveries(query: DeliveryQuery): Promise<DeliveryPage>

  /** Those of these that are there, the newest first. */
  deliveries(seqs: readonly number[]): Promise<readonly DeliveryRow[]>

  /** All that came under this id, the newest first: in several subscriptions, or with other bytes or another event. */
  deliveriesWithId(deliveryId: string): Promise<readonly DeliveryRow[]>

  /** What it says, while that is kept; undefined where there is no such delivery. */
  deliveryDetail(seq: number): Promise<DeliveryDetail | undefined>

  /** Deliveries that were verified and understood and whose bytes are kept, the oldest first, those behind `after`. */
  recordedDeliveries(query: {
    readonly event?: string
    readonly receivedFrom?: number
    readonly after: number
    readonly limit: number
  }): Promise<readonly RecordedDelivery[]>

  /**
   * Puts dead and parked items back: as if they had come just now, with all their attempts, and with what their
   * handlers had finished. The answer names those that were put back; what waits, runs or is done is not touched, so
   * that it runs once however often it is asked for.
   */
  retryItems(ids: readonly number[], now: number): Promise<readonly number[]>

  /**
   * Has deliveries sorted once more: those held as `suspected_replay`, `conflict` or `quarantined`, and `ignored`
   * ones, which are then dispatched as if they were new, and those with parked items, which the new sort replaces, by the same identity claims. An item that
   * ran before it was parked keeps its cause, and so its replies. The answer names those that wait for the sort now;
   * not those whose headers cannot be understood, whose bytes are gone, or that have nothing at rest.
   */
  reingest(seqs: readonly number[]): Promise<readonly number[]>

  /** How many deliveries `prune` would wipe and remove up to these times. Nothing is changed. */
  prunable(o: Pick<Pruning, 'bytesBefore' | 'idsBefore'>): Promise<Pick<Pruned, 'wiped' | 'removed'>>

  /** The numbers on which anything is kept of this customer, by name. */
  numbersOf(customer: string): Promise<readonly string[]>

  /** How much is kept of a customer. */
  holding(who: { readonly number: string; readonly customer: string }): Promise<Holding>

  /** Deliveries that were never read for their customer (ignored, quarantined …) and name these digits somewhere. */
  naming(customer: string): Promise<number>
}
