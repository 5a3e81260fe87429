import { expect, it } from 'vitest'
import { postgres } from '../postgres-backend.ts'
import { T0 } from '../samples.ts'

it('whoever varies shapes of all events keeps nobody from writing while they are counted [R EVT-07, RECV-05]', async () => {
  const place = await postgres.place()
  const [store, other] = [await place.open(), await place.open()]
  const event = (i: number) => `event.${'abcd'[i % 4]}`
  const times = { firstAt: T0, lastAt: T0 }
  const counts = { truncated: false, deliveries: 1, messages: 1, ...times }
  const shapes = Array.from({ length: 4 * 64 }, (_, i) => ({
    event: event(i),
    fingerprint: `print${i}`,
    paths: ['data:object'],
    ...counts,
  }))
  const facts = Array.from({ length: 4 * 128 }, (_, i) => ({
    event: event(i),
    fact: 'customer',
    path: `data.p${i}`,
    how: 'guessed',
    seen: 1,
    sure: 1,
    ...times,
  }))
  let isDone = false
  const adding = store.addPayloads({ shapes, facts }).finally(() => (isDone = true))
  let written = 0
  for (; !isDone; written++) await other.keepMapping([])
  expect(await adding).toHaveLength(4 * 32)
  expect(written).toBeGreaterThan(4)
  const seen = await other.seenPayloads()
  expect(seen.shapes.reduce((sum, { deliveries }) => sum + deliveries, 0)).toBe(4 * 64)
  expect(seen.facts).toHaveLength(4 * 128)
  await place.remove()
})
