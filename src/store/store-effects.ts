import type { CustomerOfNumber } from './customers.ts'
import type { Query } from './statements/sql.ts'
import type { AnyTable } from './statements/tables.ts'
import type { Steps } from './steps.ts'
import type { Claim } from './work/lanes.ts'

/** What a built-in feature adds to the store's operations. Each effect runs within the operation that it names, in its commit. */
export interface StoreEffects {
  readonly tables: Readonly<Record<string, AnyTable>>
  /** Selects the service time of its next work. */
  readonly nextDue: Query
  /** Selects a row while it has open work, as SQLite says it. */
  readonly openWork: string
  /** The database was restored from a backup. */
  restored(): Steps<void>
  forgetCustomer(who: CustomerOfNumber, now: number): Steps<void>
  /** A send is removed, because of its age. */
  beforeSendGoes(seq: number): Steps<void>
  /** Removes a portion of what ended before that wall time. False if nothing is left. */
  prune(before: number, limit: number): Steps<boolean>
  /** What a person sees at a glance. */
  overview(): Steps<unknown>
  readonly ofCustomer: OfCustomer
}

interface OfCustomer {
  /** The table whose rows name customers. */
  readonly table: AnyTable
  /** Selects the customer who was given in this spelling. */
  named(spelling: string): Query
  /** Selects the number of each of their rows. */
  count(customer: string): Query
  /** Reads their rows, to be exported. */
  read(customer: string): Steps<readonly unknown[]>
  /** Why customers may not be renamed now, in words. */
  mayNotMove(): Steps<string | undefined>
  /** The first word of the slots that end with a customer. */
  readonly slotWord: string
  /** How rows move to another customer, by table. */
  readonly moves: Readonly<Record<string, RowsToMove>>
}

export interface RowsToMove {
  readonly keys: readonly string[]
  /** With the columns `number` and `customer`. */
  readonly rows?: Query
  readonly move: Move
}

/** A row with all its columns. */
export type Cells = Readonly<Record<string, string | number | undefined>>

export interface Recustoming extends Pick<Claim, 'processName' | 'now' | 'leaseMs' | 'tells'> {
  of(digits: string): string
  keyOf(number: string, cause: string, slot: string): string
}

/** Moves a row to the customer `to`. */
export type Move = (row: Cells, who: CustomerOfNumber, to: string, o: Recustoming) => Steps<unknown>
