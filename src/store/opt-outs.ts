import { createHmac } from 'node:crypto'
import { all, exists, one, type Query, execute, sql, type Steps, when } from './steps.ts'
import type { CustomerOfNumber, Fence, OptOut } from './types/types.ts'
import { knownSecret, secret } from './meta.ts'
import { itemPassesFence } from './work/processes.ts'

/** Only the customer ends an opt-out: no pruning looks at them, and forgetting leaves a keyed hash of the digits. */

const HASHES = 'opt_outs'

/** A later one on this number keeps its time, so no START from before it counts. False if the item was freed. */
export function* optOut({ number, customer, at, how }: OptOut, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* itemPassesFence(fence))) return false
  const theirs = ofCustomer(yield* namesOf(customer))
  const known = yield* one<{ at: number | null }>(sql`
    SELECT max(at) AS at FROM opt_outs WHERE ${theirs} AND state = 'out' AND number = ${number}`)
  // What they agreed to before on other numbers ends too.
  yield* execute(sql`DELETE FROM opt_outs WHERE ${theirs} AND (state = 'in' OR number = ${number})`)
  yield* keep({ number, customer, at: Math.max(at, known?.at ?? at), how }, 'out')
  return true
}

/** `too_late`: they opted out since `at`. Undefined if the item was freed. */
export function* optIn(
  { number, customer, at, how }: OptOut,
  { anyNumber }: { readonly anyNumber: boolean },
  fence?: Fence,
): Steps<'done' | 'too_late' | undefined> {
  if (fence && !(yield* itemPassesFence(fence))) return undefined
  const names = yield* namesOf(customer)
  const own = when(!anyNumber, () => sql`AND number = ${number}`)
  const later = sql`SELECT 1 FROM opt_outs WHERE ${ofCustomer(names)} AND state = 'out' AND at > ${at} ${own}`
  if (yield* exists(later)) return 'too_late'
  yield* execute(sql`DELETE FROM opt_outs WHERE ${ofCustomer(names)} AND number = ${number}`)
  if (yield* exists(sql`SELECT 1 FROM opt_outs WHERE ${ofCustomer(names)} AND state = 'out'`))
    yield* keep({ number, customer, at, how }, 'in')
  return 'done'
}

function* keep({ number, customer, at, how }: OptOut, state: 'in' | 'out'): Steps<void> {
  yield* execute(sql`
    INSERT INTO opt_outs (customer, number, state, at, how) VALUES (${customer}, ${number}, ${state}, ${at}, ${how})`)
}

export function* optOutOf({ number, customer }: CustomerOfNumber, anyNumber: boolean): Steps<OptOut | undefined> {
  const rows = yield* all<OptOut & { readonly state: string }>(sql`
    SELECT number, state, at, how FROM opt_outs WHERE ${ofCustomer(yield* namesOf(customer))} ORDER BY at, number`)
  const own = rows.find((row) => row.number === number)
  const found = own ?? (anyNumber ? rows.find(({ state }) => state === 'out') : undefined)
  return found?.state === 'out' ? { number: found.number, customer, at: found.at, how: found.how } : undefined
}

export function* isOptedOut(who: CustomerOfNumber, anyNumber: boolean): Steps<boolean> {
  return (yield* optOutOf(who, anyNumber)) !== undefined
}

/** Leaves only a hash, by which they are found again if they write again. */
export function* hideOptOuts({ number, customer }: CustomerOfNumber): Steps<void> {
  const row = yield* one<{ at: number }>(sql`
    SELECT at FROM opt_outs WHERE customer = ${customer} AND number = ${number}`)
  if (!row) return
  const hash = hashOf(customer, yield* secret(HASHES))
  yield* execute(sql`UPDATE opt_outs SET customer = ${hash} WHERE customer = ${customer} AND number = ${number}`)
}

export function* namesOf(customer: string): Steps<readonly string[]> {
  const known = yield* knownSecret(HASHES)
  return known ? [customer, hashOf(customer, known)] : [customer]
}

/** Without the secret, which stays in the database, all phone numbers could be tried. */
function hashOf(customer: string, key: Uint8Array): string {
  return `hash:${createHmac('sha256', key).update(customer).digest('base64url')}`
}

export function ofCustomer(names: readonly string[]): Query {
  return sql`customer IN list(${JSON.stringify(names)})`
}
