import type { Timers } from '../../src/base/clock.ts'
import type { Store } from '../../src/stores/port/index.ts'

/** How a kind of store is opened: all that the contract suite knows of it. */
export interface Backend {
  readonly name: string
  /** An empty place of its own for one test's rows. */
  place(): Promise<Place>
}

/** Where rows are kept. Several stores opened here see the same rows, as several processes would. */
export interface Place {
  open(o?: { timers?: Timers }): Promise<Store>
  readonly view: View
  /** What stands in a table: for what the port does not tell. */
  rows(table: Table): Promise<Row[]>
  /** Closes what was opened, and removes all. */
  remove(): Promise<void>
}

/** Questions about what is kept that the port does not answer. */
export interface View {
  /** Service time of the customer's last message with a trusted time. */
  windowOf(number: string, customer: string): Promise<number | undefined>
}

export type Table =
  | 'deliveries'
  | 'items'
  | 'lanes'
  | 'identities'
  | 'sends'
  | 'statuses'
  | 'stray_statuses'
  | 'silences'

export type Row = Readonly<Record<string, unknown>>
