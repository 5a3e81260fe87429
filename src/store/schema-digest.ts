import { createHash } from 'node:crypto'
import { SwitchhookError } from '../base/errors.ts'

/** The cause of a `store_unavailable` that an app's start fixes. */
export class NotUpToDate extends Error {
  constructor() {
    super('it is none of this library’s, or of an older release: the app brings it up to date as it starts')
  }
}

/** The name in `meta` of the digest that a database got with its tables. */
export const SCHEMA_DIGEST = 'schema_digest'

export function digestOf(statements: readonly string[]): string {
  return createHash('sha256').update(statements.join('\n')).digest('hex')
}

/**
 * Before the first release the tables change without a new version. Rows of other tables would be misread. `kept`: the
 * database's digest; a build before digests left none. @throws SwitchhookError `store_unavailable`
 */
export function refuseOtherBuild(database: string, kept: string | undefined, statements: readonly string[]): void {
  if (kept === digestOf(statements)) return
  throw new SwitchhookError(
    'store_unavailable',
    `the database ${database} was written by an unreleased build whose tables differ from those of this one: ` +
      'start the build that wrote it, or start with a new database (SWITCHHOOK_DATABASE)',
  )
}
