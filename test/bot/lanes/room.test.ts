import { describe, expect, it } from 'vitest'
import { Room } from '../../../src/bot/lanes/room.ts'

describe('room', () => {
  it('is all for one number that is alone', () => {
    expect(takenBy('only', new Room(64, { shared: false }))).toBe(64)
  })

  it.each([
    [64, 56],
    [16, 14],
    [8, 7],
    // So few cannot be shared.
    [4, 4],
    [1, 1],
  ])('leaves an eighth free for other numbers: of %i one takes %i [F-55]', (count, most) => {
    const room = new Room(count, { shared: true })
    expect(takenBy('noisy', room)).toBe(most)
  })

  it('says who has a share, and gives more when some is given back', () => {
    const room = new Room(16, { shared: true })
    takenBy('noisy', room)
    expect(room.reserve('noisy')).toBe(false)
    expect(room.reserve('quiet')).toBe(true)
    room.free('noisy')
    room.free('noisy')
    // Work of it waits in the store, and goes first.
    expect(room.reserve('noisy')).toBe(false)
    room.endClaim(room.reserveForClaim().limit, [], { olderWaits: false })
    expect(room.reserve('noisy')).toBe(true)
  })
})

function takenBy(number: string, room: Room): number {
  let taken = 0
  while (room.take(number)) taken++
  return taken
}
