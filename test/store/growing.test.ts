import { expect, it } from 'vitest'
import { growingUntilLong, sideBySide } from '../../src/store/database/steps.ts'

const ROWS = Array.from({ length: 100 }, (_, row) => row)

/** The sizes of the portions, and how many rows were done. */
function sizesOf(isLong: (portions: number) => boolean, upto?: number) {
  const sizes: number[] = []
  const o = { from: 10, ...(upto !== undefined && { upto }) }
  const steps = growingUntilLong({ isLong: () => isLong(sizes.length) }, ROWS, o, function* (rows) {
    sizes.push(rows.length)
    yield* sideBySide([])
  })
  return { sizes, done: steps.next().value }
}

it('many rows take few round trips: each portion is twice as large as the one before it', () => {
  expect(sizesOf(() => false)).toEqual({ sizes: [10, 20, 40, 30], done: 100 })
  expect(sizesOf(() => false, 20)).toEqual({ sizes: [10, 20, 20, 20, 20, 10], done: 100 })
})

it('no portion begins in a transaction that takes long', () => {
  expect(sizesOf((portions) => portions === 2)).toEqual({ sizes: [10, 20], done: 30 })
})
