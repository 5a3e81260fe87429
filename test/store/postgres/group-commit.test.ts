import { expect, it, onTestFinished } from 'vitest'
import { monotonic, realTimers } from '../../../src/base/clock.ts'
import { GroupCommit } from '../../../src/store/postgres/group-commit.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { openPool } from '../../../src/store/postgres/pool.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { execute, type Steps } from '../../../src/store/database/steps.ts'
import { RefusedAlone, Unstorable, type Commit } from '../../../src/store/database/engine.ts'
import { usedDatabase } from '../postgres-backend.ts'

/** @param o.speed pauses last a fraction of their time. */
async function openWriter({ speed = 1, ...o }: { speed?: number; onCommit?: (commit: Commit) => void } = {}) {
  const { url } = await usedDatabase()
  await (await openPostgres(url)).close()
  const pool = await openPool(url)
  const commits: number[] = []
  const onCommit = o.onCommit ?? (({ operations }) => void commits.push(operations))
  const time = { timers: realTimers, monotonic: () => speed * monotonic() }
  const writer = new GroupCommit({ pool, ...time, onWake() {}, onRecheck() {}, onCommit })
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

const ENDED = sql`SELECT pg_cancel_backend(pg_backend_pid())`

it('what must land lands, however often the server ends its statement, and does not keep what comes behind it [R DEL-02, R DEL-03]', async () => {
  const { writer } = await openWriter({ speed: 20 })
  let tries = 0
  const ended = writer.persist(function* () {
    if (tries++ < 9) yield* execute(ENDED)
    return 'kept'
  })
  let passed = 0
  const others = (async () => {
    for (; tries < 10; passed++) await writer.persist(nothing)
  })()
  expect(await ended).toBe('kept')
  await others
  expect(tries).toBe(10)
  expect(passed).toBeGreaterThan(10)
})

it('what must land waits for tables that somebody altered until they are put right, and keeps nobody else [R DEL-03]', async () => {
  const { writer } = await openWriter({ speed: 20 })
  let tries = 0
  const kept = writer.persist(function* () {
    if (tries++ < 5) yield* execute(sql`SELECT gone FROM meta`)
    return 'kept'
  })
  expect(await writer.write(nothing)).toBe(1)
  expect(await kept).toBe('kept')
})

it('what must land and is refused by a rule of the server’s owner each time does not make it refuse all others [R DEL-02, R DEL-03]', async () => {
  const { writer } = await openWriter({ speed: 20 })
  let tries = 0
  const kept = writer.persist(function* () {
    if (tries++ < 5) yield* execute(sql`DO 'BEGIN RAISE EXCEPTION ''no''; END'`)
    return 'kept'
  })
  for (let round = 0; round < 3; round++) expect(await writer.write(nothing)).toBe(1)
  expect(await kept).toBe('kept')
})

it('what must land and is refused for its own values ends as one that cannot be stored', async () => {
  const { writer } = await openWriter()
  const refused = writer.persist(() => execute(sql`SELECT 1 / 0`))
  const behind = writer.persist(nothing)
  await expect(refused).rejects.toThrow(Unstorable)
  expect(await behind).toBe(1)
})

it('a commit stands, whatever those throw who watch it, and is not done again [R DEL-02]', async () => {
  let commits = 0
  const { writer } = await openWriter({
    onCommit() {
      commits++
      throw new Error('a metric of the app')
    },
  })
  expect(await Promise.all([writer.write(nothing), writer.persist(nothing)])).toEqual([1, 1])
  expect(await writer.write(nothing)).toBe(1)
  expect(commits).toBe(2)
})

it('the settlements of all lanes of a process share a transaction, and what is alone does not keep them [S 5.5]', async () => {
  const { writer, commits } = await openWriter()
  const settlements = Array.from({ length: 64 }, (_, lane) => writer.persist(nothing, { keys: [`default/${lane}`] }))
  await Promise.all([writer.write(nothing), ...settlements])
  expect(commits.toSorted((a, b) => a - b)).toEqual([1, 64])
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
  const refused = expect(long).rejects.toThrow(RefusedAlone)
  expect(await Promise.all([writer.write(nothing), writer.persist(nothing, { keys: ['a'] })])).toEqual([1, 1])
  await refused
})
