import { afterAll, describe, expect, it } from 'vitest'
import { buildLibrary, type Library } from '../../tools/powercut/disk.ts'
import { simulate } from '../../tools/powercut/simulate.ts'

const library = buildLibrary()

describe.skipIf(!library)('a power cut at any moment, on a disk that drops data after a failed sync', () => {
  const seed = 7
  afterAll(() => library?.remove())

  it.for([0, 2, 10])(
    'loses no delivery acknowledged after %i failed syncs in a row [R DEL-02, F-48, F-103]',
    async (failures) => {
      const outcome = await simulate({
        library: library as Library,
        seed: seed + failures,
        failures,
        cuts: 25,
        deliveries: 60,
      })
      expect(outcome).toMatchObject({ cuts: 25, bad: 0, first: undefined })
      expect(outcome.acknowledged).toBeGreaterThan(30)
    },
  )
})
