import type Database from 'better-sqlite3'
import { type Prepare, preparing } from './connection.ts'
import type { Transactions } from './group-commit.ts'

/** What the steps of one commit share. It is read once per commit, under the write lock. */
export interface Tx {
  readonly now: number
  /** This process. */
  readonly me: number
  /** False once another process has declared this one dead. Then it begins nothing more. */
  readonly alive: boolean
  /** Something waits behind another item, in any lane. If not, an end of work has nobody to promote. */
  behind: boolean
  nextId(): number
  /** Runs once the commit is on disk, and never for a transaction that was rolled back. */
  after(run: () => void): void
}

/** @param o.me 0 while the process registers itself. */
export function transactionsOf(
  raw: Database.Database,
  o: { readonly now: () => number; readonly me: () => number },
): Transactions<Tx> {
  const prepare: Prepare = preparing(raw)
  const [begin, commit, rollback] = [raw.prepare('BEGIN IMMEDIATE'), raw.prepare('COMMIT'), raw.prepare('ROLLBACK')]
  const look = prepare<{ last: number; behind: number; alive: number }>(`
    SELECT (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'last_id') AS last,
      EXISTS (SELECT 1 FROM work WHERE state = 2) AS behind,
      EXISTS (SELECT 1 FROM processes WHERE id = ? AND dead = 0) AS alive`)
  const keepLast = prepare("UPDATE meta SET value = ? WHERE key = 'last_id'")
  let first = 0
  let last = 0
  let after: (() => void)[] = []
  return {
    begin() {
      begin.run()
      try {
        const me = o.me()
        const seen = look.get(me)
        first = last = seen?.last ?? 0
        after = []
        return {
          now: o.now(),
          me,
          alive: seen?.alive === 1,
          behind: seen?.behind === 1,
          nextId: () => ++last,
          after: (run) => void after.push(run),
        }
      } catch (error) {
        rollback.run()
        throw error
      }
    },
    commit() {
      if (last !== first) keepLast.run(String(last))
      commit.run()
      for (const run of after) run()
    },
    rollback() {
      if (raw.inTransaction) rollback.run()
    },
  }
}
