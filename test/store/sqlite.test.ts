import { expect, it } from 'vitest'
import { describeStore } from './contract/index.ts'
import { arrive, begin } from './acts.ts'
import { ASHA, item, send, T0 } from './samples.ts'
import { openUnordered, placeOnDisk, prepared, read, sqlite } from './sqlite-backend.ts'

describeStore(sqlite)

it('a store (sqlite) keeps U+0000 in columns of text', async () => {
  const place = placeOnDisk()
  try {
    const store = await place.open()
    const strange = 'a\u0000b'
    await arrive(store, [
      item({ number: strange, lane: `${strange}/status`, cause: { identity: undefined, signed: strange } }),
    ])
    expect((await begin(store, { now: T0 })).item).toMatchObject({ number: strange, cause: strange })
  } finally {
    await place.remove()
  }
})

it('a store (sqlite) keeps no index for a history before somebody asks for one: each would cost every delivery', async () => {
  const place = placeOnDisk()
  const indexes = () => read(place.file, "SELECT name FROM sqlite_schema WHERE name LIKE '%said'").length
  try {
    const store = await place.open()
    await arrive(store, [item()])
    expect(indexes()).toBe(0)
    await store.history({ number: 'default', customer: ASHA }, 1)
    expect(indexes()).toBe(2)
  } finally {
    await place.remove()
  }
})

it('a store (sqlite) finds the codes under a key by their keys, since all sends of the app have one cause [F-55]', async () => {
  const place = placeOnDisk(openUnordered)
  try {
    const store = await place.open()
    await store.openCode({ ...send(), key: '' }, ['sh1_code'], { processName: 'one', leaseMs: 1, now: T0 })
    const texts = [...prepared].filter((text) => /^\s*SELECT .* FROM sends\b.* withheld = 1 ORDER BY seq/s.test(text))
    expect(texts).toHaveLength(1)
    expect(planOf(place.file, texts[0] ?? '')).toContainEqual(
      expect.stringMatching(/^SEARCH sends USING INDEX .* \(key=\?\)/),
    )
  } finally {
    await place.remove()
  }
})

/** Statements that may read a large table from its beginning, since they are rare or end soon. */
const COLD: Readonly<Record<string, RegExp>> = {
  'counts of all': /^SELECT state, count\(\*\) AS n FROM/,
  'the newest rows': /^SELECT coalesce\(\(SELECT id FROM inbox WHERE idx = 0 ORDER BY id DESC LIMIT 1\)/,
  'results of once, for a customer who asks to see them': /^SELECT coalesce\(i\.delivery, i\.id\) AS seq, o\.name/,
  'counts of what is kept of a customer': /'sessions' FROM customers WHERE customer/,
  'a list of sends, for a person': /^SELECT \* FROM sends WHERE true/,
  'the newest delivery': /^SELECT clock_offset FROM inbox WHERE idx = 0 ORDER BY id DESC LIMIT 1/,
  'whether there is anybody': /^SELECT 1 AS found FROM/,
  'the newest customers, for a start': /^SELECT DISTINCT n\.customer/,
  'a move to another rule for spellings of a number': /^SELECT \* FROM (?:inbox|sends) AS rows/,
  'a customer whom a person names by a spelling': /^SELECT customer FROM customers WHERE wrote_as/,
  'deliveries without items that name a customer': /^SELECT count\(\*\) AS n FROM inbox d JOIN contents c/,
}
const LARGE = /\b(inbox|contents|sends|statuses)\b(?: (?:AS )?(\w+))?/g

/** Indexes that hold only what is open, or waits for a person. */
const OPEN =
  /USING (?:COVERING )?INDEX (?:sends_(?:lane|first|behind|scheduled|state)|statuses_stray|inbox_(?:mark|first))/

it('a store (sqlite) reads no large table from its beginning, but for what is cold [F-55]', async () => {
  const place = placeOnDisk()
  try {
    // Its indexes are made when it is first asked for.
    await (await place.open()).history({ number: 'default', customer: ASHA }, 1)
    const scanning = [...prepared]
      .map((text) => text.replaceAll(/\s+/g, ' ').trim())
      .filter((text) => /^(?:SELECT|INSERT|UPDATE|DELETE)/.test(text) && scans(place.file, text))
    expect(scanning.filter((text) => !Object.values(COLD).some((cold) => cold.test(text)))).toEqual([])
    // If the whole suite ran, each of them is still there.
    if (prepared.size > 200)
      for (const [what, cold] of Object.entries(COLD))
        expect(
          scanning.some((text) => cold.test(text)),
          what,
        ).toBe(true)
  } finally {
    await place.remove()
  }
})

function planOf(file: string, text: string): readonly string[] {
  const values = text.match(/\?/g)?.map(() => 0) ?? []
  return read(file, `EXPLAIN QUERY PLAN ${text}`, values).map((row) => String(row['detail']))
}

function scans(file: string, text: string): boolean {
  const large = new Set([...text.matchAll(LARGE)].flatMap(([, table = '', alias = table]) => [table, alias]))
  const details = planOf(file, text).filter((detail) => !OPEN.test(detail))
  return details.some((detail) => large.has(/^SCAN (\w+)/.exec(detail)?.[1] ?? ''))
}
