import type { CustomerOfNumber } from './customer-tables.ts'
import type { Query } from './sql.ts'
import type { AnyTable } from './table.ts'
import type { Steps } from './steps.ts'
import type { Search } from './search.ts'

/** What a built-in feature does in the store. Each function runs within the operation that it names, in its commit. */
export interface StoreEffects {
  readonly tables: Readonly<Record<string, AnyTable>>
  /** Selects the service time of the feature's next work. */
  readonly nextDue?: Query
  /** A query for SQLite that has a row while the feature has open work. */
  readonly openWork?: string
  /** The database was restored from a backup. */
  restored?(): Steps<void>
  /** An item, or its bundle, ended without an answer: only a person can answer it now. */
  leftToPerson?(item: number, why: WaitingReason, now: number): Steps<void>
  /** The service accepted what a person wrote, or reported that a person wrote elsewhere. */
  personAnswered?(who: CustomerOfNumber, answer: PersonsAnswer, now: number): Steps<void>
  /** A person's message did not arrive. */
  answerFailed?(who: CustomerOfNumber, now: number): Steps<void>
  /** Selects number and `since` of the customers who wait for a person at this service time. */
  waitsForPerson?(serviceNow: number): Query
  /** Statements that remove rows of a forgotten customer. `theirs`: a condition on `number` and `customer`. */
  removed?(theirs: Query): readonly Query[]
  forgetCustomer?(who: CustomerOfNumber, now: number): Steps<void>
  /** A silence ends `ms` later, or earlier if negative. Moves the deadlines of the customer's open questions too. */
  prolong?(who: CustomerOfNumber, ms: number): Steps<void>
  /** The kinds of the bot's own items that the feature adds. */
  readonly kinds?: Readonly<Record<string, OwnEvent>>
  /** An item is settled with changes of this feature. */
  settled?(item: number, changes: never, now: number): Steps<void>
  /** A send is removed, because of its age. */
  beforeSendGoes?(seq: number): Steps<void>
  /** Removes a portion of the feature's rows that ended before the wall time `before`. False if nothing is left. */
  prune?(before: number, limit: number): Steps<boolean>
  /** Finds the feature's rows that ended before a wall time, among many rows that stay. */
  readonly search?: Search
  /** Counts for the overview. */
  overview?(): Steps<unknown>
  readonly ofCustomer: OfCustomer
}

/**
 * Gathers items of a lane. They wait outside the lane, in the state `gathering`, until they enter it as one bundle.
 * `Rules`: how an item is gathered, see `NewItem.gathers`.
 */
export interface Gatherer<Rules> {
  /** Opens an item that is gathered. Returns true if the lane was free, and nothing was gathered for it before. */
  gather(item: GatheredItem, rules: Rules): Steps<boolean>
  /** Lets the gathered items enter the lane now, because another item is about to enter behind them. */
  seal(lane: string, now: number): Steps<void>
  /** Lets gathered items that are due enter the lane, now or when it is free. */
  sealIfFree(lane: string, now: number): Steps<void>
  /** Lets gathered items that wait for a free lane enter it. Returns false if there are none. */
  sealWaiting(lane: string, now: number): Steps<boolean>
}

export interface GatheredItem {
  readonly item: number
  readonly lane: string
  readonly number: string
  readonly at: number
  readonly now: number
}

/** `upto`: the newest inbox row that the person saw. */
export interface PersonsAnswer {
  readonly upto: number
  readonly by: string | null
}

/** An event of the bot's own. `words`: the end of a sentence that begins with "the bot itself". */
export interface OwnEvent {
  readonly event: string
  readonly words: string
}

interface OfCustomer {
  /** A table of the feature. A row in it makes somebody a customer, even if no other table contains them. */
  readonly table?: AnyTable
  /** Selects the customer whose number the app wrote in this spelling. */
  named?(spelling: string): Query
  /** The rows of a customer, by their name in exports and counts. */
  readonly kept: Readonly<Record<string, KeptRows>>
  /** Returns the reason for which customers may not be renamed now; undefined if they may. */
  mayNotMove?(): Steps<string | undefined>
  /** The first word of the feature's slots that end with a customer. */
  readonly slotWord?: string
  /** How rows move to another customer, by table. */
  readonly moves: Readonly<Record<string, RowsToMove>>
}

export interface KeptRows {
  /** Selects the number of each row. */
  numbers(customer: string): Query
  /** Reads the rows, to be exported. */
  read(customer: string): Steps<readonly unknown[]>
}

export interface RowsToMove {
  readonly keys: readonly string[]
  /** The rows to read, if the table lacks the columns `number` and `customer`. */
  readonly rows?: Query
  readonly move: Move
}

/** A row with all its columns. */
export type AnyRow = Readonly<Record<string, string | number | undefined>>

export interface Recustoming {
  readonly processName: string
  readonly now: number
  readonly leaseMs: number
  readonly tells?: boolean
  of(digits: string): string
  keyOf(number: string, cause: string, slot: string): string
}

/** Moves a row to the customer `to`. */
export type Move = (row: AnyRow, who: CustomerOfNumber, to: string, o: Recustoming) => Steps<unknown>

/** Why a customer waits for a person. `unread`: the bot had no answer to the messages that a person gave back to it. */
export type WaitingReason = 'handed_over' | 'asked' | 'wrote' | 'failed' | 'unread'
