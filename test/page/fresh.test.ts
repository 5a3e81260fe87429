import { expect, it } from 'vitest'
import { type Happening, newHappenings } from '../../src/page/wire/happenings.ts'

const heard = (...ids: string[]) => ids.map((id) => ({ id, kind: 'resync', at: '' }) satisfies Happening)

it('of what a stream tells that came back, each is told once, in its order', () => {
  const all = heard('a-9', 'a-10', 'a-11', 'a-10', 'a-11', 'a-12')
  expect(newHappenings(all, 'a-9').map(({ id }) => id)).toEqual(['a-10', 'a-11', 'a-12'])
})

it('of another run of the emulator all is new, whatever its numbers', () => {
  expect(newHappenings(heard('b-1', 'b-2'), 'a-9').map(({ id }) => id)).toEqual(['b-1', 'b-2'])
})
