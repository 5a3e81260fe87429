import { describe, expect, it } from 'vitest'
import {
  argentina,
  brazil,
  checkSameCustomer,
  mexico,
  sameCustomerBy,
  WITHOUT_RULE,
} from '../../src/bot/same-customer.ts'

describe('the option sameCustomer', () => {
  it('has another digest for each rule, and the same one for rules that do the same', () => {
    const rules = [brazil, mexico, argentina, (digits: string) => digits, (digits: string) => mexico(brazil(digits))]
    const digests = rules.map((rule) => sameCustomerBy(rule).digest)
    expect(new Set(digests).size).toBe(rules.length)
    expect(sameCustomerBy((digits) => brazil(mexico(digits))).digest).toBe(digests.at(-1))
    expect(sameCustomerBy(undefined).digest).toBeUndefined()
  })

  it.each([
    ['returns no digits', () => 'x'],
    ['returns nothing', () => undefined as unknown as string],
    ['returns too few digits', () => '12345'],
    ['changes its own result', (digits: string) => (digits.length < 15 ? `${digits}0` : digits)],
  ])('is refused if it %s', (_, rule) => {
    expect(() => sameCustomerBy(rule)).toThrow(/^sameCustomer: it must return/)
  })

  it('leaves each number alone if it is not given', () => {
    expect(WITHOUT_RULE.formsOf('551187654321')).toEqual(['551187654321'])
  })

  const stored = ({
    isEmpty = false,
    ...given
  }: {
    isEmpty?: boolean
    digest?: string | undefined
    newest?: object[]
  }) => {
    const kept: (string | undefined)[] = []
    const store = {
      sameCustomer: async () => ({ digest: undefined, newest: [], ...given }) as never,
      hasCustomers: async () => !isEmpty,
      keepSameCustomer: async (digest: string | undefined) => void kept.push(digest),
    }
    return { store, kept }
  }
  const rule = sameCustomerBy(brazil)

  it('is kept by the first start over a database without customers', async () => {
    const { store, kept } = stored({ isEmpty: true, digest: sameCustomerBy(mexico).digest })
    await checkSameCustomer(store, rule)
    expect(kept).toEqual([rule.digest])
  })

  it.each([
    ['is new', {}, rule],
    ['was removed', { digest: rule.digest }, WITHOUT_RULE],
    ['is another function than before', { digest: sameCustomerBy(mexico).digest }, rule],
    ['is another function than before', { digest: rule.digest, newest: [{ customer: '551187654321' }] }, rule],
    [
      'is another function than before',
      { digest: rule.digest, newest: [{ customer: '5511987654321', wroteAs: '5511987654322' }] },
      rule,
    ],
  ])('refuses a start in words if it %s', async (what, given, now) => {
    const { store, kept } = stored(given)
    await expect(checkSameCustomer(store, now)).rejects.toThrow(new RegExp(`sameCustomer ${what},.*recustomer`))
    expect(kept).toEqual([])
  })

  it('is compared with the newest customers, in every spelling', async () => {
    const newest = [{ customer: '5511987654321', wroteAs: '551187654321' }, { customer: '255712000101' }]
    await checkSameCustomer(stored({ digest: rule.digest, newest }).store, rule)
  })
})
