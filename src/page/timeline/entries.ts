import type { Row } from './rows/table.ts'

/** The line between two days. */
export interface Day {
  readonly kind: 'day'
  readonly id: string
  readonly at: string
}

export type Entry = Row | Day

/** Rows with a line before each day, also before a day that the clock went back to. */
export function entriesOf(rows: readonly Row[]): readonly Entry[] {
  const entries: Entry[] = []
  let day: number | undefined
  for (const row of rows) {
    if (row.day !== day) entries.push({ kind: 'day', id: `day before ${row.id}`, at: row.at })
    day = row.day
    entries.push(row)
  }
  return entries
}

export function isRow(entry: Entry): entry is Row {
  return entry.kind !== 'day'
}

/** The row that many rows further, or the nearest there is; `undefined` stands before the last one. */
export function rowFrom(entries: readonly Entry[], id: string, by: number): Row | undefined {
  const rows = entries.filter(isRow)
  const here = rows.findIndex((row) => row.id === id)
  if (here < 0) return rows.at(-1)
  return rows[Math.min(rows.length - 1, Math.max(0, here + by))]
}

/** How many rows came after the one with that `seq`. */
export function countAfter(entries: readonly Entry[], seq: number): number {
  let count = 0
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index] as Entry
    if (!isRow(entry)) continue
    if (entry.seq <= seq) break
    count++
  }
  return count
}

/** Of all rows alike in height, those that are drawn. */
export interface Range {
  readonly from: number
  /** The first that is not drawn. */
  readonly to: number
}

/** So many are drawn above and below what is seen, so that a quick look meets no gap. */
const SPARE = 12
/** It moves in steps of so many, so that not each pixel draws anew. */
const STEP = 6

export function rangeOf(o: {
  readonly top: number
  readonly height: number
  readonly rowHeight: number
  readonly count: number
}): Range {
  const first = Math.floor(o.top / o.rowHeight / STEP) * STEP
  const seen = Math.ceil(o.height / o.rowHeight) + STEP
  return { from: Math.max(0, Math.min(first, o.count) - SPARE), to: Math.min(o.count, first + seen + SPARE) }
}

/** Where to scroll so that a row is seen; undefined where it is seen already. */
export function topToShow(o: {
  readonly index: number
  readonly top: number
  readonly height: number
  readonly rowHeight: number
}): number | undefined {
  const [begin, end] = [o.index * o.rowHeight, (o.index + 1) * o.rowHeight]
  if (begin < o.top) return begin
  return end > o.top + o.height ? end - o.height : undefined
}
