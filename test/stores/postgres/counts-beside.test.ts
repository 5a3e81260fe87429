import { expect, it } from 'vitest'
import { postgres } from '../postgres-backend.ts'
import { T0 } from '../samples.ts'

it('whoever varies shapes of all events keeps nobody from writing while they are stored [R EVT-07, RECV-05]', async () => {
  const place = await postgres.place()
  const [store, other] = [await place.open(), await place.open()]
  const event = (i: number) => `event.${'abcd'[i % 4]}`
  const shapes = Array.from({ length: 4 * 64 }, (_, i) => ({
    event: event(i),
    fingerprint: `print${i}`,
    paths: ['data:object'],
    truncated: false,
    lastAt: T0,
  }))
  let isDone = false
  const adding = store.addShapes(shapes).finally(() => (isDone = true))
  let written = 0
  for (; !isDone; written++) await other.keepMapping([])
  expect(await adding).toHaveLength(4 * 32)
  // If all were stored in one transaction, the first write would end behind it.
  expect(written).toBeGreaterThan(1)
  await place.remove()
})
