/** Counts what the driver of SQLite is asked to do, from outside: each statement that runs, each commit, each row. */
import Database from 'better-sqlite3'
import type { Counts } from './serve.ts'

type Run = (...values: unknown[]) => unknown

/** Counts from now on, in all databases of this process. In a profile each statement has its own name. */
export function countStatements(): () => Counts {
  const counts = { statements: 0, commits: 0 }
  let rows = () => 0
  const { prepare } = Database.prototype
  Database.prototype.prepare = function counted(this: Database.Database, text: string) {
    rows = () => rowsOf(this, prepare)
    const statement = prepare.call(this, text)
    const isCommit = /^\s*COMMIT/i.test(text)
    const named = nameOf(text)
    for (const method of ['run', 'get', 'all', 'iterate'] as const) {
      const original = statement[method].bind(statement) as Run
      const count: Run = (...values) => {
        counts.statements++
        if (isCommit) counts.commits++
        return original(...values)
      }
      Object.assign(statement, { [method]: named(count) })
    }
    return statement
  } as typeof prepare
  return () => ({ ...counts, rows: rows() })
}

/** Rows that a connection inserted, changed or deleted, as SQLite counts them: without entries of indexes. */
function rowsOf(database: Database.Database, prepare: Database.Database['prepare']): number {
  return Number(prepare.call(database, 'SELECT total_changes()').pluck().get())
}

/** V8 names a function in a profile by its source, so each name needs its own source. */
function nameOf(text: string): (run: Run) => Run {
  const words = text.replaceAll(/\s+/g, ' ').trim()
  const [verb = ''] = words.split(' ')
  const table = /\b(?:INTO|UPDATE|FROM|JOIN)\s+(\w+)/i.exec(words)?.[1] ?? ''
  const name = `SQL_${verb}_${table}`.replaceAll(/\W/g, '')
  // oxlint-disable-next-line typescript/no-implied-eval -- the text is the verb and the table alone
  return new Function('run', `return function ${name}(...values) { return run(...values) }`) as (run: Run) => Run
}
