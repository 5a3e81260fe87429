import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Connection, openConnection } from '../../../src/store/sqlite/connection.ts'
import * as contents from '../../../src/store/items/contents.ts'
import { placeOnDisk } from '../sqlite-backend.ts'

const MANY = 1_000
/** By SQLite's file format: 4,096 bytes less a header of 8, and no row of four columns takes less than 10. */
const WIPED_IN_A_PAGE = Math.floor((4_096 - 8) / 10)

describe('the log of bytes and facts', () => {
  let place: ReturnType<typeof placeOnDisk>
  let connection: Connection
  let isLong: boolean
  beforeEach(async () => {
    place = placeOnDisk()
    isLong = false
    await place.open()
    connection = openConnection(place.file)
  })
  afterEach(() => {
    connection.close()
    return place.remove()
  })

  it('leaves no copy of a living row behind when others leave, whatever their sizes [F-89]', () => {
    const rows = 12_000
    const sizes = [10, 300, 60, 900, 150, 30, 500]
    inOne(() => {
      for (let number = 0; number < rows; number++)
        addContent(number, `${canary(number)}${'x'.repeat(sizes[number % sizes.length] ?? 0)}`)
    })
    const oldest = connection.sql('SELECT place FROM contents WHERE facts IS NOT NULL ORDER BY facts LIMIT 250')
    const before = connection.sql(`
      SELECT count(*) AS n FROM contents
      WHERE place < coalesce((SELECT min(place) FROM contents WHERE facts IS NOT NULL), 1e9)`)
    let cuts = 0
    for (let wiped = 250; wiped <= rows; wiped += 250) {
      inOne(() => {
        for (const { place: at } of oldest.all() as { place: number }[]) wipe(at)
      })
      while (inOne(() => cutContents())) cuts++
      connection.raw.pragma('wal_checkpoint(TRUNCATE)')
      const found = readFileSync(place.file, 'latin1').match(/canary-\d+/g) ?? []
      expect(found).toHaveLength(rows - wiped)
      const kept = before.get() as { n: number }
      if (cuts > 0) expect(kept.n).toBeGreaterThanOrEqual(3 * WIPED_IN_A_PAGE)
    }
    expect(cuts).toBeGreaterThan(8)
  })

  it('moves rows with content from its beginning to its end, and never gives a place twice [F-59]', () => {
    const places = inOne(() => Array.from({ length: 6 * MANY }, (_, number) => addContent(number, canary(number))))
    inOne(() => {
      for (const [number, each] of places.entries()) if (number % 100 !== 0) wipe(each)
    })
    while (inOne(() => cutContents()));
    const living = connection.sql('SELECT place, seq, facts FROM contents WHERE facts IS NOT NULL').all()
    const rows = living as { place: number; seq: number; facts: string }[]
    expect(rows.map(({ facts }) => facts).sort()).toEqual(Array.from({ length: 60 }, (_, index) => canary(index * 100)))
    // The delivery's seq moves along.
    for (const { seq, facts } of rows) expect(seq).toBe(Number(facts.slice(7)))
    const last = Math.max(...rows.map(({ place: at }) => at))
    inOne(() => {
      for (const { place: at } of rows) wipe(at)
    })
    while (inOne(() => cutContents()));
    expect(inOne(() => addContent(0, 'next'))).toBe(last + 1)
  })

  it('moves one row in a transaction that takes long, and cuts all the same [F-99]', () => {
    const places = inOne(() => Array.from({ length: 3 * MANY }, (_, number) => addContent(number, canary(number))))
    inOne(() => {
      for (const each of places.slice(3)) wipe(each)
    })
    isLong = true
    const first = connection.sql('SELECT min(place) AS place, count(*) AS n FROM contents')
    for (let moved = 1; moved <= 3; moved++) {
      expect(inOne(() => cutContents())).toBe(true)
      expect(first.get()).toEqual({ place: places[0], n: 3 * MANY + moved })
    }
    expect(inOne(() => cutContents())).toBe(true)
    expect(first.get()).toEqual({ place: places[250], n: 3 * MANY + 3 - 250 })
  })

  it('leaves a log alone in which most rows have content [F-59]', () => {
    inOne(() => {
      for (let number = 0; number < 4 * MANY; number++) {
        const at = addContent(number, canary(number))
        if (number % 2 === 0) wipe(at)
      }
    })
    expect(inOne(() => cutContents())).toBe(false)
    expect(connection.sql('SELECT count(*) AS n FROM contents').get()).toEqual({ n: 4 * MANY })
  })

  const log = {
    nextPlace: () =>
      (connection.sql('SELECT coalesce(max(place), 0) + 1 AS next FROM contents').get() as { next: number }).next,
    takePlace() {},
    isLong: () => isLong,
  }
  const addContent = (seq: number, facts: string) => connection.drive(contents.addContent(log, { seq, facts }))
  const wipe = (at: number) => connection.drive(contents.wipeFactsAt(at))
  const cutContents = () => connection.drive(contents.cutContents(log))
  const canary = (number: number) => `canary-${String(number).padStart(6, '0')}`

  function inOne<T>(run: () => T): T {
    return connection.raw.transaction(run)()
  }
})
