import { Pool, type PoolClient } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/stores/postgres/index.ts'
import type { PostgresPool } from '../../../src/stores/postgres/pool.ts'
import { makeDatabase } from '../postgres-backend.ts'
import { arrive, begin, item, T0 } from '../samples.ts'

/** A pool that does something to a connection before each transaction, as a pooler does that gives it to others meanwhile. */
async function openPooler(between: (client: PoolClient) => unknown) {
  const { url, read } = await makeDatabase()
  const pool = new Pool({ connectionString: url })
  const faults: unknown[] = []
  const pooler: PostgresPool = {
    async connect() {
      const client = await pool.connect()
      await between(client)
      return {
        on: (event, listener) => client.on(event as 'error', listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        release: (destroy) => client.release(destroy),
        async query(query) {
          try {
            return await client.query(query)
          } catch (error) {
            faults.push((error as { code?: unknown }).code)
            throw error
          }
        },
      }
    },
  }
  const store = await openPostgres(pooler)
  onTestFinished(async () => {
    await store.close()
    await pool.end()
  })
  return { store, faults, read }
}

/** The driver takes them for statements that the server does not know yet. */
function forget(client: PoolClient): void {
  Object.assign((client as unknown as { connection: object }).connection, { parsedStatements: {} })
}

it.each([
  ['whose connections do not know a statement’s name', '26000', (client: PoolClient) => client.query('DEALLOCATE ALL')],
  ['whose connections know a statement’s name of others', '42P05', forget],
])('a pooler %s: what was asked is done, once, and from then on without names', async (_, code, between) => {
  const { store, faults, read } = await openPooler(between)
  for (let turn = 1; turn <= 3; turn++) {
    await arrive(store, [item({ at: T0 + turn })])
    const { fence, item: begun } = await begin(store)
    expect(await store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: false })).toMatchObject({
      held: true,
    })
  }
  expect(await read('SELECT state, attempts FROM items')).toEqual(
    Array.from({ length: 3 }, () => ({ state: 'done', attempts: 1 })),
  )
  expect(faults.length, 'operations that a name made fail').toBeGreaterThan(0)
  expect(new Set(faults)).toEqual(new Set([code]))
  const before = faults.length
  await arrive(store, [item({ at: T0 + 9 })])
  await begin(store)
  expect(faults).toHaveLength(before)
})
