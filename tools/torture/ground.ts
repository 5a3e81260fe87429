/** The database beneath the processes, which fails in its own ways. */
import type { Who } from './decks.ts'
import type { World } from './faults.ts'
import type { Node } from './nodes.ts'

export type Row = Readonly<Record<string, unknown>>

/** @typeParam F the faults of this kind of database. */
export interface Ground<F = never> extends AsyncDisposable {
  /** Variables of the process that lead it to the database. */
  environment(who: Who): Readonly<Record<string, string>>
  /** The node that the process is on; undefined for this machine. */
  nodeOf(who: Who): Node | undefined
  /** Resolves with the processes that the fault ended or stopped, once what it broke is whole again. */
  strike(fault: F, world: World): Promise<readonly number[]>
  read(query: string): Promise<readonly Row[]>
  /** How often the server has reported each error, by its code. */
  errors(): Readonly<Record<string, number>>
  /** All that is wrong with the database in the end. */
  damage(): Promise<readonly string[]>
}
