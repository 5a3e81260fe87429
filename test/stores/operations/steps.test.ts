import { describe, expect, it } from 'vitest'
import { Query, sql } from '../../../src/stores/operations/steps.ts'

describe('sql', () => {
  it('puts parts in where they stand, also if the same statement had a value there before', () => {
    const either = (first: Query | number, second: Query | number) => sql`SELECT ${first} + ${second}`
    const two = new Query('2')
    expect(either(two, 1)).toEqual(new Query('SELECT 2 + ?', [1]))
    expect(either(1, two)).toEqual(new Query('SELECT ? + 2', [1]))
    expect(either(1, 3)).toEqual(new Query('SELECT ? + ?', [1, 3]))
  })
})
