/** What can be combined: each name with its values. */
export type Factors = Readonly<Record<string, readonly unknown[]>>

export type Combination = Readonly<Record<string, unknown>>

/**
 * Few combinations in which every two values of different names meet at least once. Greedy: each begins with a pair
 * that has not met yet, and takes name by name the value that makes most pairs meet. The same factors give the same
 * combinations, in the same order.
 */
export function pairwise(factors: Factors): Combination[] {
  const names = Object.keys(factors)
  const counts = names.map((name) => factors[name]?.length ?? 0)
  const missing = new Set(allPairs(counts))
  const rows: number[][] = []
  for (const pair of missing) {
    const row = rowFrom(pair, counts, missing)
    for (const met of pairsIn(row)) missing.delete(met)
    rows.push(row)
  }
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, factors[name]?.[row[at] ?? 0]])))
}

/** A value by the place of its name and its place among that name's values. */
type Pair = `${number}=${number} ${number}=${number}`

function pairOf(one: number, value: number, other: number, otherValue: number): Pair {
  return one < other ? `${one}=${value} ${other}=${otherValue}` : `${other}=${otherValue} ${one}=${value}`
}

function* allPairs(counts: readonly number[]): Generator<Pair> {
  for (const [one, values] of counts.entries())
    for (let other = one + 1; other < counts.length; other++)
      for (let value = 0; value < values; value++)
        for (let otherValue = 0; otherValue < (counts[other] ?? 0); otherValue++)
          yield pairOf(one, value, other, otherValue)
}

function* pairsIn(row: readonly number[]): Generator<Pair> {
  for (const [one, value] of row.entries())
    for (let other = one + 1; other < row.length; other++) yield pairOf(one, value, other, row[other] ?? 0)
}

function rowFrom(pair: Pair, counts: readonly number[], missing: ReadonlySet<Pair>): number[] {
  const chosen = new Map(pair.split(' ').map((one) => one.split('=').map(Number) as [number, number]))
  for (const [at, values] of counts.entries()) {
    if (chosen.has(at)) continue
    const gains = Array.from({ length: values }, (_, value) => {
      const met = [...chosen].filter(([other, otherValue]) => missing.has(pairOf(at, value, other, otherValue)))
      return met.length
    })
    chosen.set(at, gains.indexOf(Math.max(...gains)))
  }
  return counts.map((_, at) => chosen.get(at) ?? 0)
}
