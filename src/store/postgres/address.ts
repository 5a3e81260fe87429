import { optionsInvalid } from '../../base/errors.ts'

/**
 * An address of PostgreSQL, as opposed to a file's name.
 *
 * @throws SwitchhookError `options_invalid` for any other address, and for one with blank ends. The message does not
 * repeat it, since a password may be in it.
 */
export function isPostgres(database: string): boolean {
  if (!isAddress(database)) return false
  if (/^postgres(?:ql)?:\/\//i.test(database)) return true
  throw optionsInvalid('database: expected a file, or an address postgres://… without blanks around it')
}

/** Longer than a drive letter of Windows, which also ends with a colon. */
function isAddress(database: string): boolean {
  return /^\s*[a-z][a-z\d+.-]+:\//i.test(database)
}

/** A database as it may be shown: an address without its user, its password and its parameters. */
export function shownDatabase(database: string | object): string {
  if (typeof database !== 'string') return 'a pool of the app'
  if (!isAddress(database)) return database
  const url = URL.parse(database.trim())
  return url === null || url.pathname.includes('@') ? 'postgres://' : `${url.protocol}//${url.host}${url.pathname}`
}
