import { createHash } from 'node:crypto'
import { forgotten, outdated } from './faults.ts'
import type { PostgresPool } from './pool.ts'

const names = new Map<string, string>()

/** Pools of which a connection has turned out not to keep names. */
const nameless = new WeakSet<PostgresPool>()

/** So often the tables beneath a pool were altered while its connections kept plans. */
const alterations = new WeakMap<PostgresPool, number>()

/**
 * Gives a statement a name, by which its connection keeps its plan: to plan a statement for a group costs as much as to run
 * it. The name is made of the text, so that nobody else on the same connection means another statement by it.
 */
export function named(pool: PostgresPool, text: string): { readonly name?: string; readonly text: string } {
  if (nameless.has(pool)) return { text }
  let name = names.get(text)
  if (name === undefined) names.set(text, (name = createHash('sha256').update(text).digest('base64url')))
  return { name: name + endOfNames(pool), text }
}

/** After each alteration all statements have names that no connection knows, and are planned anew. */
function endOfNames(pool: PostgresPool): string {
  const count = alterations.get(pool)
  return count === undefined ? '' : `.${count}`
}

/**
 * Changes the names of a pool's statements if a name was to blame; the transaction fails and is repeated. A connection
 * refuses a plan of other tables than there are now: then all get other names. Behind a pooler that knows no names, the next
 * transaction has another connection, which does not know the statement, or has it of somebody else: then none has a name
 * any more.
 */
export function dropName(pool: PostgresPool, name: string | undefined, error: unknown): void {
  if (forgotten(error)) nameless.add(pool)
  // Of several transactions at a time, all of which were refused, the first changes the names.
  if (outdated(error) && name?.endsWith(endOfNames(pool))) alterations.set(pool, (alterations.get(pool) ?? 0) + 1)
}
