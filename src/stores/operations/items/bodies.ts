import { one, sql, type Steps } from '../steps.ts'

/**
 * The longest body that is read with each item: a longer one is read once for all items of its batch that begin in one
 * transaction.
 */
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
