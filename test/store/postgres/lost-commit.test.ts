import { expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { openPool } from '../../../src/store/postgres/pool.ts'
import { hasLanded, newWriter } from '../../../src/store/postgres/transaction.ts'
import { startPostgres } from '../../support/own-postgres.ts'
import { usedDatabase } from '../postgres-backend.ts'
import { WAITING } from './waiting.ts'

/** As a group leaves its number. */
const mark = (writer: string, nth: number) =>
  `INSERT INTO switchhook.commits (writer, nth, landed) VALUES ('${writer}', ${nth}, true)`

async function openAt(url: string) {
  await (await openPostgres(url)).close()
  const pool = await openPool(url)
  onTestFinished(() => pool.close())
  const client = await pool.connect()
  client.on('error', () => {})
  return { pool, client, writer: newWriter(() => 0).id }
}

it('a commit without an answer is found by its number, however often it is asked about [R DEL-02]', async () => {
  const { pool, client, writer } = await openAt((await usedDatabase()).url)
  await client.query(mark(writer, 1))
  client.release()
  for (const nth of [1, 1]) expect(await hasLanded(pool, { writer, nth })).toBe(true)
  for (const nth of [2, 2]) expect(await hasLanded(pool, { writer, nth })).toBe(false)
})

it('a commit that comes to the server after it was asked about does not land any more, so that nothing is done twice [R DEL-02]', async () => {
  const { pool, client, writer } = await openAt((await usedDatabase()).url)
  expect(await hasLanded(pool, { writer, nth: 1 })).toBe(false)
  const late = await client.query(mark(writer, 1)).catch(({ code }: { code: unknown }) => code)
  client.release()
  expect(late).toBe('23505')
})

it('the answer waits for a transaction on which the server still works [R DEL-02]', async () => {
  const { url, read } = await usedDatabase()
  const { pool, client, writer } = await openAt(url)
  await client.query('BEGIN')
  await client.query(mark(writer, 1))
  const asked = hasLanded(pool, { writer, nth: 1 })
  await expect.poll(async () => (await read(WAITING)).length).toBeGreaterThan(0)
  await client.query('COMMIT')
  client.release()
  expect(await asked).toBe(true)
})

it('a commit that a crash of the server took is not found, and one that it kept is [R DEL-02]', async () => {
  await using server = await startPostgres()
  const { pool, client, writer } = await openAt(server.url)
  await client.query(mark(writer, 1))
  await client.query('BEGIN')
  await client.query(mark(writer, 2))
  await server.crash()
  client.release(true)
  expect(await hasLanded(pool, { writer, nth: 1 })).toBe(true)
  expect(await hasLanded(pool, { writer, nth: 2 })).toBe(false)
})
