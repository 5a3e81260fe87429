import { expect, it } from 'vitest'
import { createSearchLimit } from '../../src/admin/search.ts'

it('a person who searched for 30 customers waits until a minute has passed, and nobody else waits', () => {
  let now = 0
  const limit = createSearchLimit(() => now)
  const passes = (who: string) => {
    try {
      limit(who)
      return true
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many' })
      return false
    }
  }
  for (; now < 30_000; now += 1_000) expect(passes('neema')).toBe(true)
  expect(passes('neema')).toBe(false)
  expect(passes('amani')).toBe(true)
  now = 120_000
  expect(passes('neema')).toBe(true)
})
