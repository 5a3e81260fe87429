import { createHmac } from 'node:crypto'
import { inTexts, type Query, sql, when } from '../database/sql.ts'
import { all, exists, one, execute, type Steps } from '../database/steps.ts'
import { findCustomer, findOpened, type SaidOptOut } from '../customers/customer.ts'
import { knownSecret, secret } from '../database/meta.ts'
import { itemPassesFence, runState, type Fence } from '../work/lanes.ts'
import { inbox, once_results } from '../database/inbox-tables.ts'
import { opt_outs, type CustomerOfNumber } from '../database/customer-tables.ts'
import { insert, put } from '../database/statements.ts'

/** `how`: in which way the customer said it, such as `message` or a word of the app. */
export interface OptOut extends CustomerOfNumber {
  readonly at: number
  readonly how: string
}

/** Opt-outs. Only the customer ends an opt-out: pruning keeps it, and `forget` leaves a keyed hash of the digits. */

const HASHES = 'opt_outs'

/**
 * Records an opt-out. A second opt-out on the same number keeps the later time, so an older START does not count. The
 * opt-out itself does not count if a START is later. A handler whose customer was forgotten may still record it.
 * Returns false if the item was freed.
 */
export function* optOut({ number, customer, at, how }: OptOut, fence?: Fence): Steps<boolean> {
  const state = fence ? yield* runState(fence) : 'running'
  if (!state) return false
  const theirs = ofCustomer(yield* namesOf(customer))
  if (
    yield* exists(sql`SELECT 1 FROM ${opt_outs} WHERE ${theirs} AND state = 'in' AND number = ${number} AND at > ${at}`)
  )
    return true
  const known = yield* one<{ at: number | null }>(sql`
    SELECT max(at) AS at FROM ${opt_outs} WHERE ${theirs} AND state = 'out' AND number = ${number}`)
  // Earlier consents on other numbers end too.
  yield* execute(
    sql`DELETE FROM ${opt_outs} WHERE ${theirs} AND ((state = 'in' AND at <= ${at}) OR number = ${number})`,
  )
  yield* keep({ number, customer, at: Math.max(at, known?.at ?? at), how }, 'out')
  if (state !== 'running') yield* hideOptOuts({ number, customer })
  return true
}

/** Records a consent. `too_late`: the customer opted out after `at`. Returns undefined if the item was freed. */
export function* optIn(
  { number, customer, at, how }: OptOut,
  { anyNumber }: { readonly anyNumber: boolean },
  fence?: Fence,
): Steps<'done' | 'too_late' | undefined> {
  if (fence && !(yield* itemPassesFence(fence))) return undefined
  const names = yield* namesOf(customer)
  const own = when(!anyNumber, () => sql`AND number = ${number}`)
  const later = sql`SELECT 1 FROM ${opt_outs} WHERE ${ofCustomer(names)} AND state = 'out' AND at > ${at} ${own}`
  if (yield* exists(later)) return 'too_late'
  const known = yield* one<{ at: number | null }>(sql`
    SELECT max(at) AS at FROM ${opt_outs} WHERE ${ofCustomer(names)} AND state = 'in' AND number = ${number}`)
  yield* execute(sql`DELETE FROM ${opt_outs} WHERE ${ofCustomer(names)} AND number = ${number}`)
  // The consent is kept, so that an older STOP that arrives late does not count.
  yield* keep({ number, customer, at: Math.max(at, known?.at ?? at), how }, 'in')
  return 'done'
}

function* keep({ number, customer, at, how }: OptOut, state: 'in' | 'out'): Steps<void> {
  yield* execute(put(opt_outs, ['customer', 'number'], { customer, number, state, at, how }))
}

/** The name of a STOP or START of an item in `once_results`. Names of the app's own results have a slash. */
const HEARD = 'opt_out'

interface Heard {
  readonly says: 'out' | 'in'
  readonly changed: boolean
}

/**
 * Records a STOP or START of an item. It counts once, however often the item is read, unless the item was another
 * customer's before.
 */
export function* noteOptOut(item: number, who: CustomerOfNumber, said: SaidOptOut, isOthers = false): Steps<void> {
  if (isOthers) yield* execute(sql`DELETE FROM ${once_results} WHERE item = ${item} AND name = ${HEARD}`)
  else if (yield* exists(sql`SELECT 1 FROM ${once_results} WHERE item = ${item} AND name = ${HEARD}`)) return
  if (said.unlessAsked && (yield* isAsked(who))) return
  yield* hear(item, who, said)
}

function* isAsked(who: CustomerOfNumber): Steps<boolean> {
  const open = (yield* findCustomer(who))?.conversation
  return typeof open === 'string' && (yield* findOpened(open))?.waits?.for === 'answer'
}

function* hear(item: number, who: CustomerOfNumber, { says, at, how, anyNumber }: SaidOptOut): Steps<Heard> {
  const said = { number: who.number, customer: who.customer, at, how }
  const wasOut = yield* isOptedOut(who, anyNumber)
  if (says === 'out') yield* optOut(said)
  const stands = says === 'out' ? yield* isOptedOut(who, anyNumber) : (yield* optIn(said, { anyNumber })) === 'done'
  const heard = { says, changed: stands && !(says === 'out' && wasOut) }
  yield* execute(insert(once_results, { item, name: HEARD, result: JSON.stringify(heard) }))
  return heard
}

/**
 * Returns true if the STOP or START of an item is new, and should be confirmed. It takes effect now if the process that
 * read the item did not know the app's words for it, or a question was open. Returns undefined if the item was freed.
 */
export function* heardOptOut(who: CustomerOfNumber, said: SaidOptOut, fence: Fence): Steps<boolean | undefined> {
  const state = yield* runState(fence)
  // If the customer was forgotten, a START is discarded, and a STOP is kept.
  if (!state || (state !== 'running' && said.says === 'in')) return undefined
  const item = Number(fence.of)
  // Each message of a bundle was noted when it was read.
  const rows = yield* all<{ result: string }>(sql`
    SELECT result FROM ${once_results} WHERE name = ${HEARD} AND (item = ${item} OR item IN (
      SELECT id FROM ${inbox} WHERE bundle = (SELECT bundle FROM ${inbox} WHERE id = ${item})))`)
  const heard = rows.map(({ result }) => JSON.parse(result) as Heard).filter(({ says }) => says === said.says)
  if (heard.length === 0) heard.push(yield* hear(item, who, said))
  if (state !== 'running') yield* hideOptOuts(who)
  return heard.some(({ changed }) => changed)
}

export function* optOutOf({ number, customer }: CustomerOfNumber, anyNumber: boolean): Steps<OptOut | undefined> {
  const rows = yield* all<OptOut & { readonly state: string }>(sql`
    SELECT number, state, at, how FROM ${opt_outs} WHERE ${ofCustomer(yield* namesOf(customer))} ORDER BY at, number`)
  const own = rows.find((row) => row.number === number)
  const found = own ?? (anyNumber ? rows.find(({ state }) => state === 'out') : undefined)
  return found?.state === 'out' ? { number: found.number, customer, at: found.at, how: found.how } : undefined
}

export function* isOptedOut(who: CustomerOfNumber, anyNumber: boolean): Steps<boolean> {
  return (yield* optOutOf(who, anyNumber)) !== undefined
}

/** Replaces the customer in opt-outs by a hash, by which the customer is recognized if they write again. */
export function* hideOptOuts({ number, customer }: CustomerOfNumber): Steps<void> {
  const row = yield* one<{ at: number }>(sql`
    SELECT at FROM ${opt_outs} WHERE customer = ${customer} AND number = ${number}`)
  if (!row) return
  const hash = yield* hashFor(customer)
  yield* execute(sql`UPDATE ${opt_outs} SET customer = ${hash} WHERE customer = ${customer} AND number = ${number}`)
}

export function* namesOf(customer: string): Steps<readonly string[]> {
  const known = yield* knownSecret(HASHES)
  return known ? [customer, hashOf(customer, known)] : [customer]
}

/**
 * Returns the hashes under which each customer may be stored after `forget`, with the customer. Empty if nobody was
 * forgotten.
 */
export function* hashesOf(
  customers: readonly { readonly customer: string; readonly forms?: readonly string[] }[],
): Steps<ReadonlyMap<string, string>> {
  const known = yield* knownSecret(HASHES)
  if (!known) return new Map()
  return new Map(
    customers.flatMap(({ customer, forms = [customer] }) =>
      forms.map((form) => [hashOf(form, known), customer] as const),
    ),
  )
}

/**
 * Moves opt-outs that were stored under other spellings of a customer's number, before the bot had a rule for
 * spellings. Only hashes of them are known, so they are found when a caller names the customer. The customer's latest
 * STOP or START counts.
 */
export function* adoptOptOuts(customer: string, forms: readonly string[]): Steps<void> {
  const hashes = [...(yield* hashesOf([{ customer, forms }])).keys()]
  if (hashes.length === 0) return
  const hash = yield* hashFor(customer)
  const others = yield* all<{ customer: string; number: string; at: number }>(sql`
    SELECT customer, number, at FROM ${opt_outs} WHERE ${ofCustomer(hashes.filter((one) => one !== hash))} ORDER BY at`)
  for (const { customer: other, number, at } of others) {
    const mine = sql`${ofCustomer([customer, hash])} AND number = ${number}`
    if (yield* exists(sql`SELECT 1 FROM ${opt_outs} WHERE ${mine} AND at >= ${at}`))
      yield* execute(sql`DELETE FROM ${opt_outs} WHERE customer = ${other} AND number = ${number}`)
    else {
      yield* execute(sql`DELETE FROM ${opt_outs} WHERE ${mine}`)
      yield* execute(sql`UPDATE ${opt_outs} SET customer = ${hash} WHERE customer = ${other} AND number = ${number}`)
    }
  }
}

export function* hashFor(customer: string): Steps<string> {
  return hashOf(customer, yield* secret(HASHES))
}

/** Hashes with a secret of this database. Otherwise somebody could hash all phone numbers and compare. */
function hashOf(customer: string, key: Uint8Array): string {
  return `hash:${createHmac('sha256', key).update(customer).digest('base64url')}`
}

export function ofCustomer(names: readonly string[]): Query {
  return sql`customer ${inTexts(names)}`
}
