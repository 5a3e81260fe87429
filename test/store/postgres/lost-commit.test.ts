import { expect, it, onTestFinished } from 'vitest'
import { openPool } from '../../../src/store/postgres/pool.ts'
import { BEGUN_AS, type BegunTransaction, wasCommitted } from '../../../src/store/postgres/transaction.ts'
import { startPostgres } from '../../support/own-postgres.ts'
import { makeDatabase } from '../postgres-backend.ts'

const BEGUN = `SELECT ${BEGUN_AS}`

it('a transaction that a crash of the server took is not taken for the next one under its id [R DEL-02]', async () => {
  await using server = await startPostgres()
  const pool = await openPool(server.url)
  onTestFinished(() => pool.close())
  const ask = async (text: string) => {
    const client = await pool.connect()
    client.on('error', () => {})
    const { rows } = await client.query(text)
    return { begun: rows?.[0] as BegunTransaction, client }
  }

  const kept = await ask(BEGUN)
  expect(await wasCommitted(pool, kept.begun)).toBe(true)
  kept.client.release()
  const { client } = await ask('CREATE TABLE written (n int)')
  client.release()

  const lost = await ask('BEGIN')
  const [begun] = (await lost.client.query(BEGUN)).rows as [BegunTransaction]
  await lost.client.query('INSERT INTO written VALUES (1)')
  await server.crash()
  lost.client.release(true)
  for (let next = 0n; next <= BigInt(begun.transaction); ) {
    const another = await ask('INSERT INTO written VALUES (2) RETURNING pg_current_xact_id()::text AS transaction')
    next = BigInt(another.begun.transaction)
    another.client.release()
  }

  expect(await wasCommitted(pool, begun)).toBe(false)
  expect(await wasCommitted(pool, kept.begun)).toBe(true)
})

it('a standby that took over and has not heard of a transaction says that it was not committed [R DEL-02]', async () => {
  const pool = await openPool((await makeDatabase()).url)
  onTestFinished(() => pool.close())
  const client = await pool.connect()
  const [begun] = (await client.query(BEGUN)).rows as [BegunTransaction]
  client.release()
  expect(await wasCommitted(pool, begun)).toBe(true)
  // It was behind by some transactions, and has given away no id like this one.
  expect(await wasCommitted(pool, { ...begun, transaction: `${BigInt(begun.transaction) + 1_000_000n}` })).toBe(false)
  // It has given the id to another transaction.
  expect(await wasCommitted(pool, { ...begun, timeline: '00000009' })).toBe(false)
})
