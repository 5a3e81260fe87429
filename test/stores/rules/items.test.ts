import { describe, expect, it } from 'vitest'
import type { Settlement } from '../../../src/stores/port/index.ts'
import { type ItemChange, isLate, isSuspect, itemChange } from '../../../src/stores/rules/items.ts'

const NOW = 1_000
const AT = 5_000
const DONE = ['on:a']

describe('the rules of items', () => {
  it.each<[Settlement, ItemChange]>([
    [{ as: 'done' }, rest('done')],
    [{ as: 'ignored' }, rest('ignored')],
    [
      { as: 'parked', reason: 'x' },
      { ...rest('parked'), reason: 'x' },
    ],
    [
      { as: 'dead', reason: 'x', completedHandlers: DONE },
      { ...rest('dead'), reason: 'x', completedHandlers: DONE },
    ],
    [
      { as: 'retry', reason: 'x', at: AT, blocksLane: true, completedHandlers: DONE },
      { ...waiting('retry'), reason: 'x', readyAt: AT, completedHandlers: DONE, blocksLaneUntil: AT },
    ],
    [
      { as: 'retry', reason: 'x', at: AT, blocksLane: false, completedHandlers: [] },
      { ...waiting('retry'), reason: 'x', readyAt: AT },
    ],
    // An orderly stop gives the attempt back, and leaves the reason of an earlier failure as it is.
    [
      { as: 'released', completedHandlers: [] },
      { ...waiting('stored'), attemptsTakenBack: 1 },
    ],
    [
      { as: 'released', completedHandlers: DONE, at: AT },
      { ...waiting('stored'), attemptsTakenBack: 1, readyAt: AT, completedHandlers: DONE },
    ],
    [
      { as: 'released', completedHandlers: [], at: AT, blocksLane: true },
      { ...waiting('stored'), attemptsTakenBack: 1, readyAt: AT, blocksLaneUntil: AT },
    ],
  ])('settled as %j an item changes to %j [F-56, F-58]', (settlement, change) => {
    expect(itemChange(settlement, NOW)).toEqual(change)
  })

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

function rest(state: 'done' | 'ignored' | 'parked' | 'dead'): ItemChange {
  return { waits: false, state, reason: undefined, settledAt: NOW, completedHandlers: undefined }
}

function waiting(state: 'retry' | 'stored') {
  return {
    waits: true,
    state,
    reason: undefined,
    readyAt: 0,
    completedHandlers: [],
    attemptsTakenBack: 0,
    blocksLaneUntil: 0,
  } as const
}
