import { describe, expect, it } from 'vitest'
import { fitsTree } from '../../src/ui/text/json.ts'

describe('a body', () => {
  it('is shown as a tree if people can read it', () => {
    expect(fitsTree(null)).toBe(true)
    expect(fitsTree({ a: [1, { b: 'two' }], c: {} })).toBe(true)
    expect(fitsTree(Array.from({ length: 2_000 }, (_, index) => index))).toBe(true)
  })

  it('is shown as text if it is nested so deeply that rendering would overflow the stack', () => {
    expect(fitsTree(JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`))).toBe(false)
  })

  it('is shown as text if it has so many members that rendering would take seconds', () => {
    expect(fitsTree(Array.from({ length: 30_000 }, () => 1))).toBe(false)
  })
})
