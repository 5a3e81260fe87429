import { Client } from 'pg'

/** Statements that stores have asked in transactions that write. */
export interface Asked {
  /** All statements, by their texts. */
  readonly statements: Set<string>
  /** Those of which a connection keeps the plan. */
  readonly kept: Set<string>
  stop(): void
}

/** Has each connection note what it is asked, until it is stopped. */
export function noteStatements(): Asked {
  const { query } = Client.prototype
  const writing = new WeakSet<object>()
  const asked: Asked = {
    statements: new Set(),
    kept: new Set(),
    stop: () => void (Client.prototype.query = query),
  }
  Client.prototype.query = function note(this: Client, ...given: unknown[]) {
    const [what] = given
    const { text, name } = typeof what === 'string' ? { text: what } : (what as { text: string; name?: string })
    if (text.startsWith('BEGIN')) writing[text.includes('READ ONLY') ? 'delete' : 'add'](this)
    else if (/(?:COMMIT|ROLLBACK)$/.test(text)) writing.delete(this)
    else if (writing.has(this) && /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text)) {
      asked.statements.add(text)
      if (name !== undefined) asked.kept.add(text)
    }
    return (query as (...given: unknown[]) => unknown).apply(this, given)
  } as typeof query
  return asked
}
