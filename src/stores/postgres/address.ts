/** An address of PostgreSQL, as opposed to a file's name. */
export function isPostgres(database: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(database)
}

/** A database as it may be shown: an address without its user, its password and its parameters. */
export function shownDatabase(database: string | object): string {
  if (typeof database !== 'string') return 'a pool of the app'
  if (!isPostgres(database)) return database
  const url = URL.parse(database)
  return url === null ? 'postgres://' : `${url.protocol}//${url.host}${url.pathname}`
}
