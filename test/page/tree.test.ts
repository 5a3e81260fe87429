import { describe, expect, it } from 'vitest'
import { fitsTree } from '../../src/page/text/json.ts'

describe('a body is shown as a tree', () => {
  it('where it is of a size that people read', () => {
    expect(fitsTree(null)).toBe(true)
    expect(fitsTree({ a: [1, { b: 'two' }], c: {} })).toBe(true)
    expect(fitsTree(Array.from({ length: 2_000 }, (_, index) => index))).toBe(true)
  })

  it('not where it is nested so deeply that drawing it runs out of stack', () => {
    expect(fitsTree(JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`))).toBe(false)
  })

  it('not where it has so many members that drawing them takes seconds', () => {
    expect(fitsTree(Array.from({ length: 30_000 }, () => 1))).toBe(false)
  })
})
