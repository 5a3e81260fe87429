import { describe, expect, it } from 'vitest'
import { isLate, isSuspect } from '../../../src/store/rules/items.ts'

describe('the rules of items', () => {
  it.each([
    { wasRunning: true, attempts: 2, suspect: true },
    { wasRunning: true, attempts: 3, suspect: true },
    { wasRunning: true, attempts: 1, suspect: false },
    { wasRunning: false, attempts: 7, suspect: false },
  ])('an item found running twice by a dead process is a suspect: %j [F-56]', ({ suspect, ...found }) => {
    expect(isSuspect(found)).toBe(suspect)
  })

  it('a message is late if one with a later payload time was handled before', () => {
    expect([isLate(5, undefined), isLate(5, 4), isLate(5, 5), isLate(5, 6)]).toEqual([false, false, false, true])
  })
})
