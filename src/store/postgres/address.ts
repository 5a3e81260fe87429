import { optionsInvalid } from '../../base/errors.ts'

/**
 * Returns true for the address of a PostgreSQL server, and false for a file. @throws SwitchhookError `options_invalid`
 * for a mistyped address, or one of another kind of server. The error does not repeat it, because it may contain a
 * password.
 */
export function isPostgres(database: string): boolean {
  if (isMistaken(database))
    throw optionsInvalid(
      'database: expected a file, or an address postgres://user:password@host/name, without quotes or blanks around it, jdbc: or a driver in front of it; a file whose name has a colon needs ./ in front of it',
    )
  if (!ADDRESS.test(database)) return false
  if (partsOf(database)) return true
  throw optionsInvalid(
    'database: this address cannot be read: percent-encode its user name and password, so that # ? / are %23 %3F %2F (encodeURIComponent does that)',
  )
}

/**
 * Parses an address. Returns undefined if that fails, or if a raw `#`, `?` or `/` in the password ends the password
 * before the `@`.
 */
function partsOf(address: string): URL | undefined {
  // If the host is a parameter of the address, `pg` accepts an address without a host before the path, and `URL` does
  // not.
  const text = address.replace('@/', '@localhost/')
  const url = URL.canParse(text) ? new URL(text) : undefined
  return !url || url.hash !== '' || url.pathname.includes('@') || /^[^=]*@/.test(url.search) ? undefined : url
}

const ADDRESS = /^postgres(?:ql)?:\/\//i
/** The letter of a Windows drive, as in `C:/bot.db`. */
const DRIVE = /^[a-z]:[\\/]/i

const MISTAKES: readonly RegExp[] = [
  // A scheme has more than one letter, unlike a Windows drive.
  /^[a-z][a-z\d+.-]+:/i,
  /:\/\/|%3a%2f%2f/i,
  /^[^\\/]+:\d+(?:[:/]|$)/,
  /(?:^|[\s;?&])(?:host|hostaddr|port|dbname|database|user|user id|server|service|sslmode)\s*=/i,
]

function isMistaken(database: string): boolean {
  // `trim` also removes a byte order mark.
  if (database !== database.trim() || /^["'`]|["'`]$|\p{Cc}/u.test(database)) return true
  if (ADDRESS.test(database)) return false
  return showsPassword(database) || MISTAKES.some((mistake) => mistake.test(database.replace(DRIVE, '')))
}

/** Returns true if a name may contain a password. No file of such a name is created. */
export function showsPassword(name: string): boolean {
  return /[^\\/]:.*@|(?:pass(?:word|wd)?|pwd)\s*=/i.test(name.replace(DRIVE, ''))
}

export function shownDatabase(database: string | object): string {
  if (typeof database !== 'string') return 'a pool of the app'
  if (isMistaken(database)) return 'postgres://'
  if (!ADDRESS.test(database)) return database
  const url = partsOf(database)
  return url ? `${url.protocol}//${url.host}${url.pathname}` : 'postgres://'
}
