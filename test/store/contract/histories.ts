import * as fc from 'fast-check'
import type { Store } from '../../../src/store/store.ts'
import { histories } from '../../support/runs.ts'
import type { Backend, Place } from '../backend.ts'

/** The store, of two, in which a step is taken. */
export const store = fc.nat({ max: 1 })

/** Plays random histories, each in its own place that two stores have open. */
export async function playHistories<Step>(
  backend: Backend,
  steps: fc.Arbitrary<Step>,
  play: (place: Place, stores: Store[], history: readonly Step[]) => Promise<void>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 10, maxLength: 60, size: 'max' }), async (history) => {
      const place = await backend.place()
      try {
        await play(place, [await place.open(), await place.open()], history)
      } finally {
        await place.remove()
      }
    }),
    { numRuns: histories(backend.name) },
  )
}
