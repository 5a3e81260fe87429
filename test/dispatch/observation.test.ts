import { expect, it } from 'vitest'
import { createClock } from '../../src/base/clock.ts'
import { createObservation } from '../../src/dispatch/observation.ts'
import { readBody } from '../../src/payload/index.ts'
import type { NewShape, SeenPayloads } from '../../src/stores/port/index.ts'
import { bytesOf, message, NOW } from '../payload/reading.ts'

const SHAPE: NewShape = { event: 'message.received', fingerprint: 'bcdf', isFirst: true, gained: [], lost: [] }

/** An observation whose timers run when they are told to. */
function observing(addPayloads: (seen: SeenPayloads) => Promise<readonly NewShape[]> = async () => [SHAPE]) {
  const stored: SeenPayloads[] = []
  const timers = new Map<object, { readonly ms: number; readonly run: () => void }>()
  const told: NewShape[] = []
  const observation = createObservation({
    store: {
      async addPayloads(seen) {
        stored.push(seen)
        return addPayloads(seen)
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
      // Counts are handed to the store within this turn of the event loop.
      await new Promise((resolve) => void setImmediate(resolve))
    },
  }
}

it('a thousand deliveries of a known shape cost one write in a minute, and a new shape one within a second [R EVT-07]', async () => {
  const { read, stored, waits, ring } = observing()
  read(message())
  expect(waits()).toEqual([1_000])
  await ring()
  for (let i = 0; i < 1_000; i++) read(message())
  expect([stored.length, waits()]).toEqual([1, [60_000]])
  read(message({ extra: 1 }))
  read(message({ other: 1 }))
  expect(waits()).toEqual([1_000])
  await ring()
  expect(stored.map(({ shapes }) => shapes.map(({ deliveries }) => deliveries))).toEqual([[1], [1_000, 1, 1]])
  expect(waits()).toEqual([])
})

it('what was counted is stored at a stop, and nothing if nothing was counted [R EVT-07]', async () => {
  const nothing = observing()
  await nothing.observation.stop()
  expect(nothing.stored).toEqual([])
  const { observation, read, stored, told, waits } = observing()
  read(message())
  await observation.stop()
  expect([stored.length, told, waits()]).toEqual([1, [SHAPE], []])
})

it('what comes after the stop leaves no timer behind, which would keep the process alive', async () => {
  const { observation, read, stored, waits } = observing()
  await observation.stop()
  read(message())
  expect([stored, waits()]).toEqual([[], []])
})

it('a store that cannot be written costs the counts alone', async () => {
  const { read, ring, stored, told } = observing(() => Promise.reject(new Error('disk full')))
  read(message())
  await ring()
  read(message({ other: 1 }))
  await ring()
  expect([stored.length, told]).toEqual([2, []])
})

it('while a slow store takes counts the next ones add up in memory, and are stored once behind them [R EVT-07]', async () => {
  let take = () => {}
  const { observation, read, stored, waits, timers } = observing(
    () => new Promise((resolve) => (take = () => resolve([]))),
  )
  const due = () => timers.forEach(({ run }) => run())
  read(message())
  due()
  await Promise.resolve()
  for (const name of ['one', 'other', 'third']) {
    read(message({ [name]: 1 }))
    due()
  }
  await Promise.resolve()
  expect([stored.length, waits()]).toEqual([1, []])
  take()
  await expect.poll(() => stored.length).toBe(2)
  take()
  await observation.stop()
  expect(stored.map(({ shapes }) => shapes.length)).toEqual([1, 3])
})
