import { expect, it } from 'vitest'
import { DatabaseFault } from '../../../src/store/postgres/faults.ts'
import { createGroupCommit } from '../../../src/store/postgres/group-commit.ts'
import { createOrder } from '../../../src/store/postgres/order.ts'

/** More often than anybody may try. */
const REFUSED = 100

/** A server that refuses so many transactions in which an operation of this name is. */
function groupsOf(fault: object, bad: string) {
  const tried: (readonly string[])[] = []
  const { ask } = createGroupCommit<string>({
    pool: { connect: () => Promise.reject(new Error('not asked')) },
    timers: { after: (_, run) => (setImmediate(run), () => {}) },
    monotonic: () => 0,
    onWake() {},
    order: createOrder(),
    way: 'beside',
    unable: 'odd',
    async commit(group) {
      tried.push(group)
      if (group.includes(bad) && tried.length <= REFUSED) throw new DatabaseFault(fault)
      return { results: group.map((name) => `${name} is done`), woken: new Set() }
    },
  })
  return { ask, tried }
}

it('a statement that the server ends each time is given up after some attempts, and does not keep what comes behind it [R DEL-02]', async () => {
  const { ask, tried } = groupsOf({ code: '57014', severity: 'ERROR' }, 'slow')
  expect(await ask('slow', { kept: true })).toBe('odd')
  expect(tried.length).toBeGreaterThan(1)
  expect(await ask('quick', { kept: true })).toBe('quick is done')
})

it('the settlements of all lanes of a process share a transaction with a claim [S 5.5]', async () => {
  const { ask, tried } = groupsOf({}, 'none')
  const settlements = Array.from({ length: 64 }, (_, lane) => `settlement ${lane}`)
  await Promise.all(['claim', ...settlements].map((asked) => ask(asked)))
  expect(tried).toEqual([['claim', ...settlements]])
})
