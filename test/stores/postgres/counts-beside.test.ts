import { expect, it } from 'vitest'
import { openPlace } from '../postgres-backend.ts'
import { T0 } from '../samples.ts'

it('whoever varies shapes of all events keeps nobody from writing while they are stored [R EVT-07, RECV-05]', async () => {
  const place = await openPlace()
  const store = await place.open()
  const event = (i: number) => `event.${'abcd'[i % 4]}`
  const shapes = Array.from({ length: 4 * 64 }, (_, i) => ({
    event: event(i),
    fingerprint: `print${i}`,
    paths: ['data:object'],
    truncated: false,
    lastAt: T0,
  }))
  expect(await store.addShapes(shapes)).toHaveLength(4 * 32)
  // Rows of one transaction have one xmin. In a single one, every write of others would end behind all of them.
  expect(await place.database.read('SELECT count(DISTINCT xmin::text) > 1 AS parted FROM payload_shapes')).toEqual([
    { parted: true },
  ])
  await place.remove()
})
