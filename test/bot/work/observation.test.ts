import { expect, it } from 'vitest'
import { createClock } from '../../../src/base/clock.ts'
import { createObservation } from '../../../src/bot/work/observation.ts'
import { readBody } from '../../../src/bot/in/payload/read.ts'
import type { NewShape, SeenShape } from '../../../src/store/types/types.ts'
import { bytesOf, message, NOW } from '../in/payload/reading.ts'

const SHAPE: NewShape = { event: 'message.received', fingerprint: 'bcdf', isFirst: true, gained: [], lost: [] }

/** An observation whose timers run when the test says so. */
function observing(addShapes: (shapes: readonly SeenShape[]) => Promise<readonly NewShape[]> = async () => [SHAPE]) {
  const stored: (readonly SeenShape[])[] = []
  const timers = new Map<object, { readonly ms: number; readonly run: () => void }>()
  const told: NewShape[] = []
  const observation = createObservation({
    store: {
      async addShapes(shapes) {
        stored.push(shapes)
        return addShapes(shapes)
      },
    },
    clock: createClock(() => new Date(NOW)),
    timers: {
      after(ms, run) {
        const key = {}
        timers.set(key, { ms, run })
        return () => timers.delete(key)
      },
    },
    told: (shape) => told.push(shape),
  })
  return {
    observation,
    stored,
    told,
    timers,
    waits: () => [...timers.values()].map(({ ms }) => ms),
    read(payload: unknown) {
      const reading = readBody(bytesOf(payload), { event: 'message.received', deliveryId: undefined, now: NOW })
      if (!('refused' in reading)) observation.read('message.received', reading)
    },
    async ring() {
      const [first] = timers
      if (first) timers.delete(first[0])
      first?.[1].run()
      // Shapes are handed to the store within this turn of the event loop.
      await new Promise((resolve) => void setImmediate(resolve))
    },
  }
}

it('a thousand deliveries of a known shape cost no write, and a new shape one within a second [R EVT-07]', async () => {
  const { read, stored, told, waits, ring } = observing()
  read(message())
  expect(waits()).toEqual([1_000])
  await ring()
  for (let i = 0; i < 1_000; i++) read(message())
  expect([stored.length, waits(), told]).toEqual([1, [], [SHAPE]])
  read(message({ extra: 1 }))
  read(message({ other: 1 }))
  expect(waits()).toEqual([1_000])
  await ring()
  expect(stored.map((shapes) => shapes.length)).toEqual([1, 2])
})

it('a sender whose shapes are always new fills no memory, and its shapes are noticed when they arrive again [R EVT-07]', async () => {
  const { read, stored, ring } = observing()
  const many = Array.from({ length: 100 }, (_, i) =>
    message({ [`x${'a'.repeat(i % 40)}${'bcd'[Math.floor(i / 40)]}`]: 1 }),
  )
  for (const each of many) read(each)
  await ring()
  for (const each of many) read(each)
  await ring()
  expect(stored.map((shapes) => shapes.length)).toEqual([64, 36])
})

it('a shape that waits is stored at a stop, and nothing if none waits [R EVT-07]', async () => {
  const nothing = observing()
  await nothing.observation.stop()
  expect(nothing.stored).toEqual([])
  const { observation, read, stored, told, waits } = observing()
  read(message())
  await observation.stop()
  expect([stored.length, told, waits()]).toEqual([1, [SHAPE], []])
})
