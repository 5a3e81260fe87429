import { hash } from 'node:crypto'
import { optionsInvalid } from '../base/errors.ts'
import { PHONE_FORM } from '../service/endpoints.ts'
import type { Store } from '../store/store.ts'

/** The option `sameCustomer`: gives all spellings of a phone number the same digits. */
export type SameCustomerRule = (digits: string) => string

/** Decides which phone numbers are one customer's. Without a rule each is another customer. */
export interface SameCustomer {
  /** A digest of the rule. Undefined without a rule. */
  readonly digest: string | undefined
  of(digits: string): string
  /** Finds all spellings of a phone number by changing one digit. The customer's own digits come first. */
  formsOf(customer: string): readonly string[]
}

export const WITHOUT_RULE: SameCustomer = {
  digest: undefined,
  of: (digits) => digits,
  formsOf: (customer) => [customer],
}

/** @throws SwitchhookError `options_invalid` if the rule does not give digits, or gives others when it is applied twice. */
export function sameCustomerBy(rule: SameCustomerRule | undefined): SameCustomer {
  if (!rule) return WITHOUT_RULE
  const of = (digits: string) => {
    const customer: unknown = rule(digits)
    if (typeof customer === 'string' && PHONE_FORM.test(customer)) return customer
    throw optionsInvalid('sameCustomer: it must return 6 to 15 digits for every number')
  }
  const made = PROBES.map(of)
  if (made.some((customer) => of(customer) !== customer))
    throw optionsInvalid(
      'sameCustomer: it must return its own result unchanged, and changes it when it is called again',
    )
  return {
    digest: hash('sha256', JSON.stringify(made), 'base64url').slice(0, DIGEST_LENGTH),
    of,
    formsOf: (customer) => [customer, ...neighbours(customer).filter((form) => of(form) === customer)],
  }
}

const DIGEST_LENGTH = 22
const DIGITS = '0123456789'.split('')

/** Returns all texts with one digit more, less or changed, without the text itself. */
function neighbours(digits: string): readonly string[] {
  const found = new Set<string>()
  for (let at = 0; at <= digits.length; at++) {
    const [before, behind] = [digits.slice(0, at), digits.slice(at)]
    for (const digit of ['', ...DIGITS]) {
      found.add(before + digit + behind)
      if (behind !== '') found.add(before + digit + behind.slice(1))
    }
  }
  found.delete(digits)
  return [...found].filter((one) => PHONE_FORM.test(one))
}

/**
 * One prefix of each kind of phone number that has several spellings, and prefixes of others. Never change this list:
 * stored digests are computed from it.
 */
const PROBES: readonly string[] =
  '1 7 20 234 254 255 33 34 39 44 49 52 521 54 549 54911 5411 5511 55119 5521 55219 5531 55319 62 81 86 91 971'
    .split(' ')
    .flatMap((code) => ['2345678', '71234567', '812345678', '9876543210', '15912345678'].map((rest) => code + rest))
    .filter((number) => PHONE_FORM.test(number))

/** A start checks the rule with this many of the newest customers in the database. */
const COMPARED = 1_000

/** @throws SwitchhookError `options_invalid` if the database has customers by another rule. */
export async function checkSameCustomer(
  store: Pick<Store, 'sameCustomer' | 'hasCustomers' | 'keepSameCustomer'>,
  sameCustomer: SameCustomer,
) {
  const asked = sameCustomer.digest === undefined ? 0 : COMPARED
  const { digest, newest } = await store.sameCustomer(asked)
  const fits = ({ customer, wroteAs = customer }: (typeof newest)[number]) =>
    [customer, wroteAs].every((digits) => sameCustomer.of(digits) === customer)
  if (digest === sameCustomer.digest && newest.every(fits)) return
  if (!(await store.hasCustomers())) return store.keepSameCustomer(sameCustomer.digest)
  const what =
    digest === undefined
      ? 'is new'
      : sameCustomer.digest === undefined
        ? 'was removed'
        : 'is another function than before'
  throw optionsInvalid(
    `the option sameCustomer ${what}, and this database has customers by the old rule: stop the app, run \`switchhook database recustomer\` with the new rule, and start the app again. Or go back to the old option`,
  )
}

/** Moves opt-outs to this customer that were stored under another spelling, before the app had this rule. */
export async function adoptOptOuts(
  customer: string,
  { store, sameCustomer }: { readonly store: Pick<Store, 'adoptOptOuts'>; readonly sameCustomer: SameCustomer },
): Promise<void> {
  if (sameCustomer.digest !== undefined) await store.adoptOptOuts(customer, sameCustomer.formsOf(customer))
}

// ── rules of countries ──────────────────────────────────────────────────────────────────────────────

/**
 * Brazil's ninth digit: `55 11 9 8765-4321` and `55 11 8765-4321` are one customer. Landlines, whose numbers begin with
 * 2 to 5, have no ninth digit.
 *
 *     const bot = createBot({ sameCustomer: brazil })
 */
export const brazil = (digits: string): string => digits.replace(/^(55[1-9][1-9])([6-9]\d{7})$/, '$19$2')

/**
 * Mexico's 1 of mobile phones: `52 1 55 1234 5678` and `52 55 1234 5678` are one customer.
 *
 *     const bot = createBot({ sameCustomer: mexico })
 */
export const mexico = (digits: string): string => digits.replace(/^521([2-9]\d{9})$/, '52$1')

/**
 * Argentina's 9 of mobile phones: `54 9 11 2345-6789` and `54 11 2345-6789` are one customer.
 *
 *     const bot = createBot({ sameCustomer: argentina })
 */
export const argentina = (digits: string): string => digits.replace(/^549([1-3]\d{9})$/, '54$1')
