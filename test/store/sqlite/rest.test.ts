import { expect, it } from 'vitest'
import { createPortions } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Tx } from '../../../src/store/sqlite/transaction.ts'
import { manualTime } from '../../emulator/support/time.ts'

const TX = {} as Tx

/** Lets settled promises continue. */
const settle = () => new Promise(setImmediate)

it('a portion of long work leaves the file free for as long as the one before it has kept it, its commit included [F-99]', async () => {
  const time = manualTime()
  const begun: number[] = []
  const start = time.monotonic()
  const commit = {
    async run<T>(operation: (tx: Tx) => T) {
      const result = operation(TX)
      time.pass(7)
      return result
    },
  }
  const portion = createPortions({ commit, timers: time.timers, monotonic: time.monotonic })
  const work = () => {
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
  const commit = { run: async <T>(operation: (tx: Tx) => T) => operation(TX) }
  const portion = createPortions({ commit, timers: time.timers, monotonic: time.monotonic })
  const failing = () => {
    throw new Error('disk full')
  }
  await expect(portion(failing)).rejects.toThrow('disk full')
  expect(await portion(() => 'done')).toBe('done')
})
