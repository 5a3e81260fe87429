import type { Row } from './rows/table.ts'
import { isFoldable, type Turn, turnOf } from './turn.ts'

export interface DayLine {
  readonly kind: 'day'
  readonly id: string
  readonly at: string
}

/** The line of a whole turn. Its rows follow while it is unfolded. */
export interface TurnLine {
  readonly kind: 'turn'
  readonly id: string
  readonly turn: Turn
  readonly isOpen: boolean
  /** The customer, if the line above is not about the same one. */
  readonly customer?: string
}

export interface RowLine {
  readonly kind: 'row'
  readonly id: string
  readonly row: Row
  /** True if the row stands below the line of its turn. */
  readonly isInTurn: boolean
  /** The customer, if the line above is not about the same one. */
  readonly customer?: string
  /** The words of the message, unless a line of the same turn has them already. */
  readonly text?: string
}

export type Entry = DayLine | TurnLine | RowLine

interface Shown {
  readonly matches?: (row: Row) => boolean
  readonly unfolded: ReadonlySet<string>
  /** True if no turn is folded: all rows stand in the order in which they happened. */
  readonly isRowByRow?: boolean
}

/**
 * Lists the lines. The rows of a turn are folded into one, at the place of the first of them; of a turn that matches the
 * search in part, the rows that match stand alone. A line before each day names it, also if the clock went back to it.
 */
export function listEntries(rows: readonly Row[], shown: Shown): readonly Entry[] {
  const { matches = () => true, unfolded, isRowByRow = false } = shown
  const turns = isRowByRow ? new Map<string, readonly Row[]>() : wholeTurns(rows, matches)
  const list = createList()
  for (const row of rows) {
    const inTurn = row.turn === undefined ? undefined : turns.get(row.turn)
    if (row.turn === undefined || inTurn === undefined) {
      if (matches(row)) list.addRow(row)
    } else if (inTurn[0] === row) list.addTurn(turnOf(row.turn, inTurn), unfolded.has(row.turn))
  }
  return list.entries
}

/** The turns that are shown as one line: all of their rows match. */
function wholeTurns(rows: readonly Row[], matches: (row: Row) => boolean): Map<string, readonly Row[]> {
  const turns = new Map<string, Row[]>()
  const partial = new Set<string>()
  for (const row of rows) {
    if (row.turn === undefined) continue
    if (!matches(row)) partial.add(row.turn)
    const others = turns.get(row.turn)
    if (others) others.push(row)
    else turns.set(row.turn, [row])
  }
  for (const [id, inTurn] of turns) if (partial.has(id) || !isFoldable(inTurn)) turns.delete(id)
  return turns
}

function createList() {
  const entries: Entry[] = []
  let day: number | undefined
  let customer: string | undefined

  function startDay(row: Row): void {
    if (row.day === day) return
    entries.push({ kind: 'day', id: `day before ${row.id}`, at: row.at })
    day = row.day
    customer = undefined
  }

  function newCustomer(of: string | undefined): { customer?: string } {
    if (of === undefined || of === customer) return {}
    customer = of
    return { customer: of }
  }

  return {
    entries,
    addRow(row: Row): void {
      startDay(row)
      const { id, text } = row
      entries.push({
        kind: 'row',
        id,
        row,
        isInTurn: false,
        ...newCustomer(row.customer),
        ...(text !== undefined && { text }),
      })
    },
    addTurn(turn: Turn, isOpen: boolean): void {
      startDay(turn.rows[0] as Row)
      entries.push({ kind: 'turn', id: turn.id, turn, isOpen, ...newCustomer(turn.customer) })
      if (!isOpen) return
      const said = new Set([turn.title])
      for (const row of turn.rows) {
        const text = row.text === undefined || said.has(row.text) ? {} : { text: row.text }
        if (row.text !== undefined) said.add(row.text)
        entries.push({ kind: 'row', id: row.id, row, isInTurn: true, ...text })
      }
    },
  }
}

/** A line that the cursor can be at. */
export type Line = TurnLine | RowLine

export function isLine(entry: Entry): entry is Line {
  return entry.kind !== 'day'
}

/** The line `by` lines after the one with `id`, or the nearest one; the last line if there is no such id. */
export function lineAtDistance(entries: readonly Entry[], id: string, by: number): Line | undefined {
  const lines = entries.filter(isLine)
  const here = lines.findIndex((line) => line.id === id)
  if (here < 0) return lines.at(-1)
  return lines[Math.min(lines.length - 1, Math.max(0, here + by))]
}

/** Grows from line to line; undefined for a day and for a row below its turn. */
export function seqOf(entry: Entry): number | undefined {
  if (entry.kind === 'turn') return entry.turn.rows[0]?.seq
  return entry.kind === 'row' && !entry.isInTurn ? entry.row.seq : undefined
}

/** Counts the lines after the one with this `seq`, without the rows of unfolded turns. */
export function countLinesAfter(entries: readonly Entry[], seq: number): number {
  let count = 0
  for (let index = entries.length - 1; index >= 0; index--) {
    const found = seqOf(entries[index] as Entry)
    if (found === undefined) continue
    if (found <= seq) break
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
