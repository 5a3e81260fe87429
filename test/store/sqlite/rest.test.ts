import { expect, it } from 'vitest'
import type { Steps, Tx } from '../../../src/store/steps.ts'
import { createPortions } from '../../../src/store/store.ts'
import { manualTime } from '../../emulator/support/time.ts'

/** The result of an operation that asks nothing of its database. */
function resultOf<T>(operation: (tx: Tx) => Steps<T>): T {
  return operation({} as Tx).next().value as T
}

/** Lets settled promises continue. */
const settle = () => new Promise(setImmediate)

it('a portion of long work leaves the file free for as long as the one before it has kept it, its commit included [F-99]', async () => {
  const time = manualTime()
  const begun: number[] = []
  const start = time.monotonic()
  const write = async <T>(operation: (tx: Tx) => Steps<T>) => {
    const result = resultOf(operation)
    time.pass(7)
    return result
  }
  const portion = createPortions({ write, timers: time.timers, monotonic: time.monotonic })
  function* work(): Steps<void> {
    begun.push(time.monotonic() - start)
    time.pass(13)
  }
  const all = [portion(work), portion(work)]
  await settle()
  time.pass(19)
  await settle()
  expect(begun).toEqual([0])
  time.pass(1)
  await Promise.all(all)
  expect(begun).toEqual([0, 40])
})

it('a portion that failed does not keep the next one waiting [F-99]', async () => {
  const time = manualTime()
  const write = async <T>(operation: (tx: Tx) => Steps<T>) => resultOf(operation)
  const portion = createPortions({ write, timers: time.timers, monotonic: time.monotonic })
  function* failing(): Steps<void> {
    throw new Error('disk full')
  }
  function* working(): Steps<string> {
    return 'done'
  }
  await expect(portion(failing)).rejects.toThrow('disk full')
  expect(await portion(working)).toBe('done')
})
