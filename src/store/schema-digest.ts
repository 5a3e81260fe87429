import { createHash } from 'node:crypto'
import { SwitchhookError } from '../base/errors.ts'

/** The cause of a `store_unavailable` error that starting an app fixes. */
export class NotUpToDate extends Error {
  constructor() {
    super('it is none of this library’s, or of an older release: the app brings it up to date as it starts')
  }
}

/** The name in `meta` of the digest that the database got when its tables were made. */
export const SCHEMA_DIGEST = 'schema_digest'

export function digestOf(statements: readonly string[]): string {
  return createHash('sha256').update(statements.join('\n')).digest('hex')
}

/**
 * Refuses a database of another build. Before the first release the tables change without a new version, and rows of
 * other tables would be misread. `kept`: the database's digest; builds before digests left none. @throws
 * SwitchhookError `store_unavailable`
 */
export function refuseOtherBuild(database: string, kept: string | undefined, statements: readonly string[]): void {
  if (kept === digestOf(statements)) return
  throw new SwitchhookError(
    'store_unavailable',
    `the database ${database} was written by an unreleased build whose tables differ from those of this one: ` +
      'start the build that wrote it, or start with a new database (SWITCHHOOK_DATABASE)',
  )
}
