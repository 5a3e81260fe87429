import { createHash } from 'node:crypto'
import { forgotten } from './faults.ts'
import type { PostgresPool } from './pool.ts'

const names = new Map<string, string>()

/** Pools of which a connection has turned out not to keep names. */
const nameless = new WeakSet<PostgresPool>()

/**
 * Gives a statement a name, by which its connection keeps its plan: to plan a statement for a group costs as much as to run
 * it. The name is made of the text, so that nobody else on the same connection means another statement by it.
 */
export function named(pool: PostgresPool, text: string): { readonly name?: string; readonly text: string } {
  if (nameless.has(pool)) return { text }
  let name = names.get(text)
  if (name === undefined) names.set(text, (name = createHash('sha256').update(text).digest('base64url')))
  return { name, text }
}

/**
 * Behind a pooler that knows no names, the next transaction has another connection: it does not know the statement, or has
 * it of somebody else. The transaction fails and is repeated, and from then on the statements of this pool have no names.
 */
export function dropNames(pool: PostgresPool, error: unknown): void {
  if (forgotten(error)) nameless.add(pool)
}
