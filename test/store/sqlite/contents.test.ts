import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Connection, openConnection } from '../../../src/store/sqlite/connection.ts'
import { cutContents, wipeContents } from '../../../src/store/upkeep/rows.ts'
import { placeOnDisk } from '../sqlite-backend.ts'

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
        connection.drive(cutContents(wiped - 250, wiped))
      })
      connection.raw.pragma('wal_checkpoint(TRUNCATE)')
      const found = readFileSync(place.file, 'latin1').match(/canary-\d+/g) ?? []
      expect(found).toHaveLength(rows - wiped)
    }
    expect(emptyRows()).toBe(0)
  })

  it('leave no copy of those that stay among them, which go later [F-89]', () => {
    const stays = (id: number) => id % 700 < 3
    fill(12_000, (id) => 'x'.repeat((id * 37) % 1_500))
    const wipe = (which: (id: number) => boolean) => {
      for (let upto = 250; upto <= 12_000; upto += 250) {
        inOne(() => {
          connection.drive(wipeContents(ids(upto).filter((id) => id > upto - 250 && which(id))))
          connection.drive(cutContents(upto - 250, upto))
        })
      }
      connection.raw.pragma('wal_checkpoint(TRUNCATE)')
    }
    wipe((id) => !stays(id))
    expect(connection.sql('SELECT 1 FROM contents WHERE facts IS NOT NULL').all()).toHaveLength(53)
    expect(emptyRows()).toBeLessThan(53 * 20)
    wipe(stays)
    expect(readFileSync(place.file, 'latin1').match(/canary-\d+/g)).toBeNull()
    expect(emptyRows()).toBe(0)
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
