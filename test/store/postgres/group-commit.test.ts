import { expect, it, onTestFinished } from 'vitest'
import { monotonic, realTimers } from '../../../src/base/clock.ts'
import { createGroupCommit } from '../../../src/store/postgres/group-commit.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { openPool } from '../../../src/store/postgres/pool.ts'
import { execute, sql, type Steps } from '../../../src/store/steps.ts'
import { TakesTooLong } from '../../../src/store/store.ts'
import { usedDatabase } from '../postgres-backend.ts'

async function openWriter() {
  const { url } = await usedDatabase()
  await (await openPostgres(url)).close()
  const pool = await openPool(url)
  const commits: number[] = []
  const onCommit = ({ operations }: { operations: number }) => commits.push(operations)
  const writer = createGroupCommit({ pool, timers: realTimers, monotonic, onWake() {}, onDoubt() {}, onCommit })
  onTestFinished(async () => {
    await writer.close()
    await pool.close()
  })
  return { writer, commits }
}

/** As a settlement: it must land, and belongs to one lane. */
function* nothing(): Steps<number> {
  return yield* execute(sql`SELECT 1`)
}

it('a statement that the server ends each time is given up, and does not keep what comes behind it [R DEL-02]', async () => {
  const { writer } = await openWriter()
  const ended = writer.keep(() => execute(sql`SELECT pg_cancel_backend(pg_backend_pid())`))
  const behind = writer.keep(nothing)
  await expect(ended).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(await behind).toBe(1)
})

it('the settlements of all lanes of a process share a transaction with a claim [S 5.5]', async () => {
  const { writer, commits } = await openWriter()
  const settlements = Array.from({ length: 64 }, (_, lane) => writer.keep(nothing, { keys: [`default/${lane}`] }))
  await Promise.all([writer.write(nothing), ...settlements])
  expect(commits).toEqual([65])
})

it('operations that take long together share the lock with other processes in between, and all are done in their order', async () => {
  const { writer, commits } = await openWriter()
  const done: string[] = []
  /** As long as a few statements take on a server that is far away. */
  const slow = (name: string) =>
    // oxlint-disable-next-line require-yield -- a generator as all operations are
    function* () {
      for (const from = monotonic(); monotonic() < from + 110; );
      done.push(name)
      return name
    }
  const names = ['first', 'second', 'third', 'fourth']
  expect(await Promise.all(names.map((name) => writer.write(slow(name))))).toEqual(names)
  expect(done).toEqual(names)
  expect(commits.length).toBeGreaterThan(1)
})

it('an operation that the server ends because it takes too long is refused after a few tries alone, and others continue [R DEL-02]', async () => {
  const { writer } = await openWriter()
  const long = writer.write(function* () {
    // Only one that was off begins to count.
    for (const ms of ['0', '50']) yield* execute(sql`SELECT set_config('transaction_timeout', ${ms}, true)`)
    return yield* execute(sql`SELECT pg_sleep(9)`)
  })
  const refused = expect(long).rejects.toThrow(TakesTooLong)
  expect(await Promise.all([writer.write(nothing), writer.keep(nothing, { keys: ['a'] })])).toEqual([1, 1])
  await refused
})
