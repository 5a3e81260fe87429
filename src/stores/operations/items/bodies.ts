import { one, sql, type Steps } from '../steps.ts'

/** Many items of a batch begin in one transaction: a body that is longer is read once for all of them. */
export const LONGEST_READ_ALONG = 65_536

const lastRead = new WeakMap<object, { readonly place: number; readonly body: Uint8Array }>()

/** The body at a place; asked for it again within a transaction, it is not read again. */
export function* bodyAt(tx: object, place: number): Steps<Uint8Array> {
  const last = lastRead.get(tx)
  if (last?.place === place) return last.body
  const { body } = (yield* one<{ body: Uint8Array }>(sql`SELECT body FROM contents WHERE place = ${place}`)) as {
    body: Uint8Array
  }
  lastRead.set(tx, { place, body })
  return body
}
