import { expect, it } from 'vitest'
import { startAttempt } from '../../src/dispatch/attempt-life.ts'
import type { AttemptDeps, RunningAttempt } from '../../src/dispatch/types.ts'
import { once } from '../../src/dispatch/context.ts'
import { manualTime } from '../emulator/support/time.ts'

it('once() ends with its attempt while its result cannot be stored, which happens later all the same [F-47, F-50]', async () => {
  const time = manualTime()
  const clock = startAttempt(1_000, time.timers, () => time.wall().getTime(), new AbortController().signal)
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
