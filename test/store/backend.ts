import type { Timers } from '../../src/base/clock.ts'
import type { Store } from '../../src/store/store.ts'

/** A kind of store: all that the contract suite knows of it. */
export interface Backend {
  readonly name: 'sqlite' | 'postgres'
  /** An empty place for one test's rows. */
  place(): Promise<Place>
}

/** A place where rows are kept. Several stores opened here see the same rows, as several processes would. */
export interface Place {
  open(o?: { timers?: Timers; restored?: boolean }): Promise<Store>
  readonly view: View
  /** Has the database be of another version of the schema, as a newer release leaves it. */
  setSchema(version: number): Promise<void>
  /** Has the database be of another build with the same version; undefined: of one that kept no digest. */
  setDigest(digest: string | undefined): Promise<void>
  /** Closes what was opened, and removes all. */
  remove(): Promise<void>
}

/** Questions about what is kept that the port does not answer. */
export interface View {
  /** Lanes in which something waits or runs, by their keys. */
  lanes(): Promise<readonly { readonly key: string; readonly kind: 'item' | 'send' }[]>
  /** How many bodies of deliveries are kept. */
  bodies(): Promise<number>
  /** How many identities are claimed. */
  identityClaims(): Promise<number>
  /** The ids of messages of which a status is kept, once for each status: of our sends, or of nobody's. */
  statuses(of: 'sends' | 'strays'): Promise<readonly string[]>
  /** Service time of a customer's last message with a trusted time. */
  windowOf(number: string, customer: string): Promise<number | undefined>
  /** All that is kept, in whatever form: equal before and after an operation that changes nothing. */
  snapshot(): Promise<unknown>
}
