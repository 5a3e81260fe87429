/** The `cause` of a `store_unavailable` that an app's start fixes: the database has no schema yet, or an older one. */
export class NotUpToDate extends Error {
  constructor() {
    super('it is none of this library’s, or of an older release: the app brings it up to date as it starts')
  }
}

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: 'INTEGER' | 'TEXT' | 'BLOB' }[]
  portions(): Iterable<readonly CopiedRow[]>
}

export type CopiedRow = readonly (number | string | Uint8Array | null)[]

/** A bot or another process works on the database, or has worked there. */
export class InUse extends Error {}
