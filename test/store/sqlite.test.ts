import { expect, it } from 'vitest'
import { describeStore } from './contract/index.ts'
import { arrive, ASHA, begin, item, T0 } from './samples.ts'
import { placeOnDisk, prepared, read, sqlite } from './sqlite-backend.ts'

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

/** Statements that may read a large table from its beginning, since they are rare or end soon. */
const COLD: Readonly<Record<string, RegExp>> = {
  'the newest or the next row in the order of the key':
    /^SELECT \w+ FROM \w+ (?:WHERE true )?ORDER BY \w+(?: DESC)? LIMIT /,
  'a list of sends, for a person': /^SELECT \* FROM sends WHERE true/,
  'counts of what waits, by indexes that hold nothing else': /^SELECT \(SELECT count\(\*\) FROM pending\)/,
  'counts of all': /^SELECT .+ AS state, count\(\*\) AS n/,
  'counts of what a pruning would take': /^SELECT count\(\*\) AS n FROM deliveries d/,
  'counts of what is kept of a customer': /'sessions' FROM sessions WHERE customer/,
  'all that is kept of a customer, for that customer':
    /^SELECT number, last_at AS "lastInboundAt"|^SELECT i\.seq, o\.name, o\.result FROM items/,
  'what waits, by an index that holds nothing else': /settled_at IS NULL (?:AND i\.state = |AND CASE )/,
  'the first subscription, by name': /^SELECT .+ WITH RECURSIVE subscriptions/,
  'the first lanes of a pruning': /^SELECT CASE WHEN moved_at/,
}
const LARGE = /\b(deliveries|contents|items|lanes|sends|statuses)\b(?: (?:AS )?(\w+))?/g

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

function scans(file: string, text: string): boolean {
  const large = new Set([...text.matchAll(LARGE)].flatMap(([, table = '', alias = table]) => [table, alias]))
  const values = text.match(/\?/g)?.map(() => 0) ?? []
  const plan = read(file, `EXPLAIN QUERY PLAN ${text}`, values)
  return plan.some((row) => large.has(/^SCAN (\w+)/.exec(String(row['detail']))?.[1] ?? ''))
}
