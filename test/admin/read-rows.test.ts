import { expect, it } from 'vitest'
import { grown, type ReadRows } from '../../src/admin-page/list/read-rows.ts'
import { growth } from '../support/cost.ts'

function readByPages(pages: number): ReadRows<number> {
  let read: ReadRows<number> = { rows: [], pages: 0 }
  for (let page = 0; page < pages; page++) {
    const before = read
    read = grown(read, [page])
    if (read === before) throw new Error('nobody would see that the list has grown')
  }
  return read
}

it('one more page of a list costs the same, however many were read', () => {
  expect(readByPages(3)).toEqual({ rows: [0, 1, 2], pages: 3 })
  // Four times the pages. If each copied the rows before, it would be sixteen times the work.
  expect(
    growth(
      () => readByPages(5_000),
      () => readByPages(20_000),
    ),
  ).toBeLessThan(8)
})
