import { expect, it } from 'vitest'
import { atMostOne } from '../../src/base/value.ts'

it('a list with a place for one built-in feature refuses a second one, and names both', () => {
  expect(atMostOne({})).toBeUndefined()
  expect(atMostOne({ bursts: 1 })).toBe(1)
  expect(() => atMostOne({ bursts: 1, digests: 2 })).toThrow('not bursts and digests')
})
