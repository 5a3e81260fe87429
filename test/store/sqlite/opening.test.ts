import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { BUSY_MS, type Connection, migrate, openConnection } from '../../../src/store/sqlite/connection.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { openToRead } from '../../../src/store/sqlite/sqlite-reader.ts'
import { MIGRATIONS } from '../../../src/store/database/schema.ts'
import { delivery, send } from '../samples.ts'
import { placeOnDisk, read } from '../sqlite-backend.ts'

const FULL = 2
const NOBODY = 65_534
/** 'SwHk', from the 68th byte of the file on. */
const OURS = Buffer.from('SwHk').readInt32BE()

describe('opening a file', () => {
  let place: ReturnType<typeof placeOnDisk>
  const stores: Store[] = []
  beforeEach(() => {
    place = placeOnDisk()
  })
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()))
    await place.remove()
  })

  /** Opens the file, and lists the connections that it took. */
  function open(): { store: Store; connections: Connection[] } {
    const connections: Connection[] = []
    const connect = (file: string) => {
      const connection = openConnection(file)
      connections.push(connection)
      return connection
    }
    const store = openSqlite(place.file, { connect })
    stores.push(store)
    return { store, connections }
  }

  const living = (connections: readonly Connection[]) => connections.filter(({ raw }) => raw.open)
  const synchronous = ({ raw }: Connection) => raw.pragma('synchronous', { simple: true })

  it('writes in WAL mode with synchronous FULL, also on a file that is opened again [R DEL-02, F-48]', async () => {
    for (let opening = 1; opening <= 3; opening++) {
      const { store, connections } = open()
      expect(living(connections).map(synchronous)).toEqual([FULL])
      expect(living(connections).map(({ raw }) => raw.pragma('journal_mode', { simple: true }))).toEqual(['wal'])
      await store.accept(delivery())
      expect(living(connections).map(synchronous)).toEqual([FULL])
      await store.close()
    }
    expect(read(place.file, 'SELECT * FROM inbox WHERE idx = 0')).toHaveLength(3)
  })

  it('makes the file, its -wal and its -shm for the owner alone, whatever the mask says [F-88]', async () => {
    const before = process.umask(0)
    try {
      await open().store.accept(delivery())
      expect(modes()).toEqual({ '': 0o600, '-wal': 0o600, '-shm': 0o600 })
    } finally {
      process.umask(before)
    }
  })

  it('takes others’ rights from a file that is there already [F-88]', async () => {
    writeFileSync(place.file, '')
    chmodSync(place.file, 0o644)
    await open().store.accept(delivery())
    expect(modes()).toEqual({ '': 0o600, '-wal': 0o600, '-shm': 0o600 })
  })

  it('names the missing folder to create, and creates none [F-54]', () => {
    const file = join(place.folder, 'missing', 'deeper', 'switchhook.db')
    expect(() => openSqlite(file)).toThrow(
      expect.objectContaining({
        code: 'store_unavailable',
        message: expect.stringMatching(new RegExp(`${file} cannot be opened: .*; create the folder .*/missing/deeper`)),
      }),
    )
    expect(() => statSync(join(place.folder, 'missing'))).toThrow('ENOENT')
  })

  it('refuses a file that is no database, and leaves it byte for byte [F-54]', () => {
    const letter = 'Dear Asha,\n'.repeat(1_000)
    writeFileSync(place.file, letter)
    expect(() => openSqlite(place.file)).toThrow(unavailable('not a database'))
    expect(readFileSync(place.file, 'utf8')).toBe(letter)
  })

  it('refuses a file that may only be read, and does not make it writable [F-54]', async () => {
    await open().store.close()
    chmodSync(place.file, 0o400)
    asUser(() => {
      expect(() => openSqlite(place.file)).toThrow(unavailable())
      expect(statSync(place.file).mode & 0o777).toBe(0o400)
    })
  })

  it('refuses a file that a newer release wrote, by name and with the way out, and changes nothing in it [F-57]', async () => {
    await open().store.close()
    const newer = MIGRATIONS.length + 1
    const raw = new Database(place.file)
    raw.pragma(`user_version = ${newer}`)
    raw.close()
    expect(() => openSqlite(place.file)).toThrow(
      expect.objectContaining({
        code: 'store_newer',
        message: `the database ${place.file} has schema ${newer}, this library knows ${MIGRATIONS.length}: start the newer release that wrote it`,
      }),
    )
    expect(read(place.file, 'PRAGMA user_version')).toEqual([{ user_version: newer }])
  })

  it.each([
    ['with its own tables', 'CREATE TABLE notes (text TEXT); CREATE TABLE tags (name TEXT)', 'tables: notes, tags'],
    ['with its own application_id', 'PRAGMA application_id = 252006673', 'application_id 252006673'],
    ['with its own version', 'CREATE TABLE notes (text TEXT); PRAGMA user_version = 999', 'tables: notes'],
  ])('refuses another application’s database %s by name, and does not change it [F-54]', (_what, sql, why) => {
    const raw = new Database(place.file)
    raw.exec(sql)
    raw.close()
    chmodSync(place.file, 0o644)
    const bytes = readFileSync(place.file)
    expect(() => openSqlite(place.file)).toThrow(unavailable(why))
    expect(readFileSync(place.file).equals(bytes)).toBe(true)
    expect(statSync(place.file).mode & 0o777).toBe(0o644)
    expect(readdirSync(place.folder)).toEqual(['switchhook.db'])
  })

  it('waits for another process longer than a delivery does: a deploy must not fail by a slow commit of the old one [F-52]', async () => {
    await open().store.close()
    const writer = fork(join(import.meta.dirname, 'hold-lock.ts'), [place.file, '250'])
    await once(writer, 'message')
    const { store, connections } = open()
    expect((await store.accept(delivery())).as).toBe('stored')
    expect(living(connections).map(({ raw }) => raw.pragma('busy_timeout', { simple: true }))).toEqual([BUSY_MS])
  })

  it.each([
    ['is refused for as long as that one lives', undefined],
    ['waits for that one to save it', '250'],
  ])(
    'begins no log beside one that was removed while another process has it open: %s [R DEL-02, F-101]',
    async (_what, ends) => {
      await open().store.close()
      const other = fork(join(import.meta.dirname, 'hold-lock.ts'), [place.file, ...(ends === undefined ? [] : [ends])])
      await once(other, 'message')
      for (const suffix of ['-wal', '-shm']) rmSync(place.file + suffix)
      if (ends === undefined) {
        const waits = vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out')
        onTestFinished(() => waits.mockRestore())
        const said = expect.stringContaining('has lost its log, which was removed while another process has it open')
        const refusal = expect.objectContaining({ code: 'store_unavailable', message: said })
        expect(open).toThrow(refusal)
        expect(() => openToRead(place.file)).toThrow(refusal)
        expect(
          waits.mock.calls.reduce((sum, [, , , ms = 0]) => sum + ms, 0),
          'five seconds each',
        ).toBe(10_000)
        expect(readdirSync(place.folder)).not.toContain('switchhook.db-wal')
        other.kill('SIGKILL')
        await once(other, 'exit')
      }
      expect((await open().store.accept(delivery())).as).toBe('stored')
    },
  )

  it('migrates an empty file once, however many open it at once [F-57]', () => {
    const [one, two] = [openConnection(place.file), openConnection(place.file)]
    const slower = {
      ...two,
      raw: Object.assign(Object.create(two.raw) as typeof two.raw, {
        pragma: (...args: Parameters<typeof two.raw.pragma>) => two.raw.pragma(...args),
        exec: (sql: string) => two.raw.exec(sql),
        transaction(run: () => void) {
          migrate(one, place.file)
          return two.raw.transaction(run)
        },
      }),
    }
    migrate(slower, place.file)
    expect(one.raw.pragma('application_id', { simple: true })).toBe(OURS)
    for (const { close } of [one, two]) close()
  })

  it('brings the file to its schema in one step: if that fails, none of it remains [F-57]', () => {
    const raw = new Database(place.file)
    raw.exec('CREATE TABLE sends (something TEXT)')
    raw.pragma(`application_id = ${OURS}`)
    raw.close()
    expect(() => openSqlite(place.file)).toThrow(unavailable('already exists'))
    expect(read(place.file, "SELECT name FROM sqlite_schema WHERE type = 'table'")).toEqual([{ name: 'sends' }])
    expect(read(place.file, 'PRAGMA user_version')).toEqual([{ user_version: 0 }])
  })

  it('leaves nothing open if opening fails, and nothing but the one file after it was closed', async () => {
    const { store, connections } = open()
    const pending = store.renew('one', () => 0, 1)
    await store.close()
    await pending
    await new Promise(setImmediate)
    expect(living(connections)).toEqual([])
    expect(() => statSync(`${place.file}-wal`)).toThrow('ENOENT')
    expect(() => statSync(`${place.file}-shm`)).toThrow('ENOENT')
  })

  function unavailable(why = '') {
    const message = expect.stringContaining(`the database ${place.file.slice(0, -13)}`)
    return expect.toSatisfy(
      (error: { code: string; message: string }) =>
        error.code === 'store_unavailable' &&
        message.asymmetricMatch(error.message) &&
        error.message.includes(why) &&
        error.message.includes('; check that'),
    )
  }

  function modes() {
    const suffixes = ['', '-wal', '-shm']
    return Object.fromEntries(suffixes.map((suffix) => [suffix, statSync(place.file + suffix).mode & 0o777]))
  }

  /** A superuser may write everything, which would prove nothing: then another user owns the file and opens it. */
  function asUser(run: () => void): void {
    const { seteuid } = process
    if (process.geteuid?.() !== 0 || !seteuid) return run()
    for (const path of [place.folder, place.file]) chownSync(path, NOBODY, NOBODY)
    seteuid.call(process, NOBODY)
    try {
      run()
    } finally {
      seteuid.call(process, 0)
    }
  }
})

it('a send in a transaction of the app is refused by a file, which no transaction of PostgreSQL can write', async () => {
  const store = openSqlite(':memory:')
  await expect(store.openSendIn({ query: async () => ({}) }, { ...send(), dueAt: 0 })).rejects.toMatchObject({
    code: 'options_invalid',
    message: expect.stringContaining('SQLite'),
  })
  await store.close()
})
