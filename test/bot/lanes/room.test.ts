import { describe, expect, it } from 'vitest'
import { createRoom } from '../../../src/bot/lanes/runner.ts'

describe('room', () => {
  it('is all for one number that is alone', () => {
    expect(takenBy('only', createRoom(64, { shared: false }))).toBe(64)
  })

  it.each([
    [64, 56],
    [16, 14],
    [8, 7],
    // So few cannot be shared.
    [4, 4],
    [1, 1],
  ])('leaves an eighth free for other numbers: of %i one takes %i [F-55]', (count, most) => {
    const room = createRoom(count, { shared: true })
    expect(takenBy('noisy', room)).toBe(most)
    expect(room.free).toBe(count - most)
  })

  it('says who has a share, and gives more when some is given back', () => {
    const room = createRoom(16, { shared: true })
    takenBy('noisy', room)
    expect(room.full()).toEqual(['noisy'])
    expect(room.take('quiet')).toBe(true)
    room.give('noisy')
    room.give('noisy')
    expect(room.full()).toEqual([])
    expect(room.take('noisy')).toBe(true)
  })
})

function takenBy(number: string, room: ReturnType<typeof createRoom>): number {
  let taken = 0
  while (room.take(number)) taken++
  return taken
}
