import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Connection, openConnection } from '../../../src/store/sqlite/connection.ts'
import { cutContents, wipeContents } from '../../../src/store/upkeep/rows.ts'
import { placeOnDisk } from '../sqlite-backend.ts'

/** By SQLite's file format: 4,096 bytes less a header of 8, and no row of three columns takes less than 9. */
const WIPED_IN_A_PAGE = Math.floor((4_096 - 8) / 9)

describe('bytes and facts', () => {
  let place: ReturnType<typeof placeOnDisk>
  let connection: Connection
  beforeEach(async () => {
    place = placeOnDisk()
    await place.open()
    connection = openConnection(place.file)
  })
  afterEach(() => {
    connection.close()
    return place.remove()
  })

  it('leave no copy of a living row behind when others leave, whatever their sizes [F-89]', () => {
    const rows = 12_000
    const sizes = [10, 300, 60, 900, 150, 30, 500]
    fill(rows, (id) => 'x'.repeat(sizes[id % sizes.length] ?? 0))
    for (let wiped = 250; wiped <= rows; wiped += 250) {
      inOne(() => {
        connection.drive(wipeContents(Array.from({ length: 250 }, (_, index) => wiped - index)))
        connection.drive(cutContents(wiped))
      })
      connection.raw.pragma('wal_checkpoint(TRUNCATE)')
      const found = readFileSync(place.file, 'latin1').match(/canary-\d+/g) ?? []
      expect(found).toHaveLength(rows - wiped)
      if (wiped < rows) expect(emptyRows()).toBeGreaterThanOrEqual(Math.min(wiped, 3 * WIPED_IN_A_PAGE))
    }
    expect(emptyRows()).toBeLessThan(2_000)
  })

  it('leave no row behind when they are gone, but beside the few that stay [F-59]', () => {
    fill(12_000)
    inOne(() => {
      connection.drive(wipeContents(ids(12_000).filter((id) => id !== 6_000)))
      connection.drive(cutContents(12_000))
    })
    expect(connection.sql('SELECT id FROM contents WHERE facts IS NOT NULL').all()).toEqual([{ id: 6_000 }])
    expect(emptyRows()).toBeLessThan(4_000)
  })

  it('leave all their rows where a thousand others stay [F-59]', () => {
    fill(4_000)
    inOne(() => {
      connection.drive(wipeContents(ids(4_000).filter((id) => id % 2 === 0)))
      connection.drive(cutContents(4_000))
    })
    expect(emptyRows()).toBe(2_000)
  })

  const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
  const emptyRows = () => connection.sql('SELECT 1 FROM contents WHERE facts IS NULL').all().length

  function fill(rows: number, rest = (_id: number) => ''): void {
    const add = connection.raw.prepare('INSERT INTO contents (id, facts) VALUES (?, ?)')
    inOne(() => {
      for (const id of ids(rows)) add.run(id, `canary-${String(id).padStart(6, '0')}${rest(id)}`)
    })
  }

  function inOne<T>(run: () => T): T {
    return connection.raw.transaction(run)()
  }
})
