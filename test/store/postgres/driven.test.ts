import { expect, it } from 'vitest'
import { Query } from '../../../src/store/steps.ts'
import { driveAll } from '../../../src/store/postgres/hot/driven.ts'
import type { HotTx } from '../../../src/store/postgres/transaction.ts'

it('operations that are driven end with the time of their transaction, and the rest goes in the next one [F-8]', async () => {
  let done = 0
  const tx: HotTx = {
    rows: async () => [],
    async drive(steps) {
      let step = steps.next()
      while (!step.done) step = steps.next({ rows: [], changes: 0 })
      done++
      return step.value
    },
    wake() {},
    newerSchema: undefined,
    isFull: () => done === 2,
  }
  const group = ['one', 'two', 'three'].map((name) => ({
    lanes: [],
    *steps() {
      yield new Query('SELECT 1')
      return name
    },
  }))
  expect(await driveAll.run(tx, group, () => 0)).toEqual(['one', 'two'])
})
