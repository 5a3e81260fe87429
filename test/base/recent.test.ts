import { expect, it } from 'vitest'
import { Recent } from '../../src/base/recent.ts'

it('a map of what is recent holds no more than it may, and forgets what was set longest ago', () => {
  const recent = new Recent<string, number>(3)
  for (const [at, key] of ['a', 'b', 'c', 'a', 'd'].entries()) recent.set(key, at)
  expect(['a', 'b', 'c', 'd'].map((key) => recent.get(key))).toEqual([3, undefined, 2, 4])
  expect(recent.size).toBe(3)
  recent.delete('a')
  recent.set('e', 5)
  expect(['c', 'd', 'e'].map((key) => recent.get(key))).toEqual([2, 4, 5])
})
