import { describe, expect, it } from 'vitest'
import { createSlots, type Slots } from '../../../src/bot/lanes/runner.ts'

describe('slots', () => {
  it('are all for one number that is alone', () => {
    expect(takenBy('only', createSlots(64, { shared: false }))).toBe(64)
  })

  it.each([
    [64, 56],
    [16, 14],
    [8, 7],
    // So few cannot be shared.
    [4, 4],
    [1, 1],
  ])('leaves an eighth free for other numbers: of %i one takes %i [F-55]', (count, most) => {
    const slots = createSlots(count, { shared: true })
    expect(takenBy('noisy', slots)).toBe(most)
    expect(slots.free).toBe(count - most)
  })

  it('say who has a share, and give more of them when they are given back', () => {
    const slots = createSlots(16, { shared: true })
    takenBy('noisy', slots)
    expect(slots.full()).toEqual(['noisy'])
    expect(slots.take('quiet')).toBe(true)
    slots.give('noisy')
    slots.give('noisy')
    expect(slots.full()).toEqual([])
    expect(slots.take('noisy')).toBe(true)
  })
})

function takenBy(number: string, slots: Slots): number {
  let taken = 0
  while (slots.take(number)) taken++
  return taken
}
