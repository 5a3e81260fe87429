const asked = Number(process.env['HISTORIES'])

/**
 * How many random histories of a model are played. Over PostgreSQL an operation costs a dozen times as much as in SQLite, and
 * the same model has been played there: `HISTORIES=1000` plays as many over either.
 */
export function histories(over: 'sqlite' | 'postgres'): number {
  return asked || { sqlite: 12, postgres: 3 }[over]
}
