import { expect, it } from 'vitest'
import { sql } from '../../../src/store/database/sql.ts'
import { execute, type Steps, type Tx } from '../../../src/store/database/steps.ts'
import { createPortions } from '../../../src/store/database/engine.ts'
import { manualTime } from '../../emulator/support/time.ts'

/** The result of an operation whose statements find and change nothing. */
function resultOf<T>(operation: (tx: Tx) => Steps<T>): T {
  const steps = operation({} as Tx)
  let step = steps.next()
  while (!step.done) step = steps.next({ rows: [], changes: 0 })
  return step.value
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
    yield* execute(sql`SELECT 1`)
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
