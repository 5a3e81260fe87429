import { expect, it } from 'vitest'
import { createSearchLimit } from '../../src/admin/search-limit.ts'

it('whoever has looked for 30 customers waits until the first of them was a minute ago, and nobody else does', () => {
  const mayLook = createSearchLimit()
  const looks = (from: number, times: number, who = 'neema') =>
    Array.from({ length: times }, (_, index) => mayLook(who, from + index * 1_000)).filter(Boolean).length
  expect(looks(0, 31)).toBe(30)
  expect(mayLook('amani', 30_000)).toBe(true)
  expect(mayLook('neema', 59_999)).toBe(false)
  expect(looks(60_000, 30)).toBe(30)
  expect(mayLook('neema', 120_000)).toBe(true)
})
