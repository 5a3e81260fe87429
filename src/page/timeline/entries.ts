import type { Row } from './rows/table.ts'

/** A line between two days. */
export interface DayLine {
  readonly kind: 'day'
  readonly id: string
  readonly at: string
}

type Entry = Row | DayLine

/** Puts a line before each day, and again before a day that the clock went back to. */
export function withDayLines(rows: readonly Row[]): readonly Entry[] {
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

/** The row `by` rows after the one with `id`, or the nearest one; the last row if there is no such id. */
export function rowAtDistance(entries: readonly Entry[], id: string, by: number): Row | undefined {
  const rows = entries.filter(isRow)
  const here = rows.findIndex((row) => row.id === id)
  if (here < 0) return rows.at(-1)
  return rows[Math.min(rows.length - 1, Math.max(0, here + by))]
}

/** Counts the rows after the one with this `seq`. */
export function countRowsAfter(entries: readonly Entry[], seq: number): number {
  let count = 0
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index] as Entry
    if (!isRow(entry)) continue
    if (entry.seq <= seq) break
    count++
  }
  return count
}

/** The entries that are rendered: from `from` up to, but without, `to`. */
interface Range {
  readonly from: number
  readonly to: number
}

/** Rows rendered above and below the visible ones, so that fast scrolling shows no gap. */
const OVERSCAN = 12
/** The range moves in steps of this many rows, so that not every scrolled pixel renders again. */
const STEP = 6

/** Finds the entries to render. All are equally high, so that the place of each follows from its index. */
export function visibleRange(o: {
  readonly top: number
  readonly height: number
  readonly rowHeight: number
  readonly count: number
}): Range {
  const first = Math.floor(o.top / o.rowHeight / STEP) * STEP
  const visible = Math.ceil(o.height / o.rowHeight) + STEP
  return { from: Math.max(0, Math.min(first, o.count) - OVERSCAN), to: Math.min(o.count, first + visible + OVERSCAN) }
}

/** The scroll position that brings an entry into sight; undefined if it is in sight already. */
export function scrollTopToShow(o: {
  readonly index: number
  readonly top: number
  readonly height: number
  readonly rowHeight: number
}): number | undefined {
  const [begin, end] = [o.index * o.rowHeight, (o.index + 1) * o.rowHeight]
  if (begin < o.top) return begin
  return end > o.top + o.height ? end - o.height : undefined
}
