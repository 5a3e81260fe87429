import { statSync } from 'node:fs'
import { SwitchhookError } from '../../base/errors.ts'

/**
 * Watches whether the file that is open is still the one at its path. SQLite goes on writing to a file that was removed
 * or replaced, by a deploy that cleans its folder for instance; deliveries that are acknowledged then are gone with the
 * process.
 *
 * @param file its whole path.
 * @returns a check that looks once in each turn of the event loop, and throws SwitchhookError `store_unavailable`.
 */
export function watchFileIdentity(file: string): () => void {
  if (file === ':memory:') return () => {}
  const opened = identityOf(file)
  let gone: boolean | undefined
  return () => {
    if (gone === undefined) {
      const found = identityOf(file)
      gone = found !== opened && found !== UNKNOWN
      setImmediate(() => {
        gone = undefined
      })
    }
    if (!gone) return
    throw new SwitchhookError(
      'store_unavailable',
      `the database ${file} was removed or replaced while it was open, so nothing more is stored in it: put it back, or start the bot again`,
    )
  }
}

/** The path may not be looked at any more, so nothing can be said. */
const UNKNOWN = 'unknown'

function identityOf(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    return found ? `${found.dev}:${found.ino}` : 'nowhere'
  } catch {
    return UNKNOWN
  }
}
