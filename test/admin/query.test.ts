import { expect, it } from 'vitest'
import { lowerEnd, nextPage } from '../../src/admin/query.ts'

it('a filter without an index reads ten thousand rows per query, and continues below them', async () => {
  const newest = async () => 25_000
  const first = await lowerEnd(undefined, newest)
  expect(first).toBe(15_000)
  // Too few were found, so there is no next row: the place below the part is one.
  expect(nextPage(undefined, first)).toEqual({ next: '15001' })
  const second = await lowerEnd(15_001, newest)
  expect(nextPage(7_000, second)).toEqual({ next: '7000' })
  const last = await lowerEnd(5_002, newest)
  expect(last).toBe(0)
  expect(nextPage(undefined, last)).toEqual({})
})
