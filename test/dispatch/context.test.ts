import { expect, it } from 'vitest'
import { AttemptClock } from '../../src/dispatch/attempt-clock.ts'
import { BaseContext } from '../../src/dispatch/context.ts'
import { once, slotsOf } from '../../src/dispatch/run-effect.ts'
import type { AttemptDeps, RunningAttempt } from '../../src/dispatch/types.ts'
import { manualTime } from '../emulator/support/time.ts'

it('once() ends with its attempt while its result cannot be stored, which happens later all the same [F-47, F-50]', async () => {
  const time = manualTime()
  const clock = new AttemptClock(1_000, time.timers, () => time.wall().getTime(), { given: false, end: () => {} })
  const asked = Promise.withResolvers<string>()
  const stored = Promise.withResolvers<boolean>()
  const store = {
    onceResult: async () => undefined,
    keepOnce: (_fence: unknown, _item: unknown, _name: unknown, result: string) => {
      asked.resolve(result)
      return stored.promise
    },
  }
  const running = { item: { id: 1 }, fence: {}, clock } as unknown as RunningAttempt
  const result = once(running, { store } as unknown as AttemptDeps, 'charge', () => 7)
  expect(await asked.promise).toBe('[7]')
  time.pass(1_000)
  await expect(result).rejects.toMatchObject({ code: 'attempt_over' })
  stored.reject(new Error('the store was closed'))
})

it('a context makes its log, and the pseudonym in it, when a handler asks for it, and once for each attempt', () => {
  const made: object[] = []
  const log = { child: (bound: object) => made.push(bound) && log }
  const item = { attempt: 2, customer: '255712000101', delivery: { deliveryId: '01J', receivedAt: 0 } }
  const running = { item, clock: {}, onces: new Map() } as unknown as RunningAttempt
  const deps = { log, limits: {}, pseudonym: () => 'somebody' } as unknown as AttemptDeps
  const contexts = ['onError', 'onDead'].map((id) => new BaseContext(slotsOf(id, running, deps), running, deps))
  expect(made).toEqual([])
  for (const context of contexts) expect(context.log).toBe(log)
  expect(made).toEqual([{ delivery: '01J', attempt: 2, customer: 'somebody' }])
})
