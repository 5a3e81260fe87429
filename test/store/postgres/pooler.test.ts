import type { PoolClient } from 'pg'
import { expect, it } from 'vitest'
import { beginNew } from '../acts.ts'
import { item, T0 } from '../samples.ts'
import { openOverPool } from './over-pool.ts'

/** The driver takes them for statements that the server does not know yet. */
function forget(client: PoolClient): void {
  Object.assign((client as unknown as { connection: object }).connection, { parsedStatements: {} })
}

it.each([
  ['whose connections do not know a statement’s name', '26000', (client: PoolClient) => client.query('DEALLOCATE ALL')],
  ['whose connections know a statement’s name of others', '42P05', forget],
])('a pooler %s: what was asked is done, once, and from then on without names', async (_, code, between) => {
  const { store, faults, read } = await openOverPool({ between })
  for (let turn = 1; turn <= 3; turn++) {
    const { fence, item: begun } = await beginNew(store, [item({ at: T0 + turn })])
    expect(await store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: false })).toMatchObject({
      stands: true,
    })
  }
  expect(await read('SELECT (SELECT count(*) FROM inbox) AS items, (SELECT count(*) FROM work) AS open')).toEqual([
    { items: 3, open: 0 },
  ])
  expect(faults.length, 'operations that a name made fail').toBeGreaterThan(0)
  expect(new Set(faults)).toEqual(new Set([code]))
  const before = faults.length
  await beginNew(store, [item({ at: T0 + 9 })])
  expect(faults).toHaveLength(before)
})
