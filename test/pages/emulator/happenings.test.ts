import { expect, it } from 'vitest'
import { type Happening, newHappenings } from '../../../src/pages/emulator/wire/wire-types.ts'

const withIds = (...ids: string[]) => ids.map((id) => ({ id, kind: 'resync', at: '' }) satisfies Happening)

it('happenings that a reconnected stream repeats count once, in order', () => {
  const all = withIds('a-9', 'a-10', 'a-11', 'a-10', 'a-11', 'a-12')
  expect(newHappenings(all, 'a-9').map(({ id }) => id)).toEqual(['a-10', 'a-11', 'a-12'])
})

it('happenings of another run of the emulator are all new, whatever their numbers', () => {
  expect(newHappenings(withIds('b-1', 'b-2'), 'a-9').map(({ id }) => id)).toEqual(['b-1', 'b-2'])
})
