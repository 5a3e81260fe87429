import type { Outcome, Row } from './rows/table.ts'

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

/** The line `by` lines after the one with `id`, or the nearest one; the last line if the id does not exist. */
export function lineAtDistance(entries: readonly Entry[], id: string, by: number): Line | undefined {
  const lines = entries.filter(isLine)
  const here = lines.findIndex((line) => line.id === id)
  if (here < 0) return lines.at(-1)
  return lines[Math.min(lines.length - 1, Math.max(0, here + by))]
}

/** The consequences of one cause in one line: a customer's message, its attempts, the replies and their statuses. */
export interface Turn {
  readonly id: string
  readonly rows: readonly Row[]
  readonly customer?: string
  /** The customer's words; what the app sent if nobody had written; else the name of the event. */
  readonly title: string
  /** True if the turn began with a message of the customer. */
  readonly isWritten: boolean
  /** The first reply, and how many came after it. */
  readonly answer?: string
  readonly moreAnswers: number
  /** The failures, beside the outcome: `will be retried`, `1 failure fixed`. */
  readonly note?: string
  readonly outcome?: Outcome
}

/** The last turns that were made, by their latest row: a turn whose rows are the same stays the same object. */
const made = new WeakMap<Row, Turn>()

function turnOf(id: string, rows: readonly Row[]): Turn {
  const latest = rows.at(-1) as Row
  const known = made.get(latest)
  if (known?.rows.length === rows.length && known.rows.every((row, index) => row === rows[index])) return known
  const turn = describe(id, rows, latest)
  made.set(latest, turn)
  return turn
}

/** Tells if a turn of these rows is shown as a turn: a single row is its own line, unless it is a customer's message. */
function isFoldable(rows: readonly Row[]): boolean {
  return rows.length > 1 || rows.some(isReceived)
}

function describe(id: string, rows: readonly Row[], latest: Row): Turn {
  const received = rows.find(isReceived)
  const replies = repliesIn(rows)
  const [first, ...more] = replies
  const head = received ?? first ?? latest
  const customer = rows.find((row) => row.customer !== undefined)?.customer
  const answer = received === undefined ? undefined : first?.text
  const outcome = outcomeOf(rows, received, first)
  const note = noteOf(rows, outcome)
  return {
    id,
    rows,
    title: head.text ?? head.title,
    isWritten: received !== undefined,
    ...(customer !== undefined && { customer }),
    ...(answer !== undefined && { answer }),
    moreAnswers: more.length,
    ...(note !== undefined && { note }),
    ...(outcome && { outcome }),
  }
}

function isReceived({ title, message }: Row): boolean {
  return title === 'message.received' && message !== undefined
}

/** The first row of each message that was sent, by the app or by somebody else. A refused one never was. */
function repliesIn(rows: readonly Row[]): readonly Row[] {
  const byMessage = new Map<string, Row>()
  for (const row of rows)
    if (
      row.message !== undefined &&
      row.text !== undefined &&
      !isReceived(row) &&
      !isRefused(row) &&
      !byMessage.has(row.message)
    )
      byMessage.set(row.message, row)
  return [...byMessage.values()]
}

function isRefused({ kind, status = 0 }: Row): boolean {
  return kind === 'call' && status >= 400
}

/** The states that a message goes through, in their order. */
const PROGRESS = ['sent', 'delivered', 'read', 'played', 'failed'] as const

const NO_REPLY: Outcome = { label: 'no reply', tooltip: 'the app sent nothing until now', tone: 'plain' }

/** The last failure, if nothing has fixed it since; else how far the reply came. */
function outcomeOf(rows: readonly Row[], received: Row | undefined, reply: Row | undefined): Outcome | undefined {
  const open = endsOf(rows).find(({ outcome }) => outcome?.tone === 'bad' || outcome?.tone === 'warn')
  if (open) return open.outcome
  const reached = Math.max(...rows.map(({ progress }) => PROGRESS.findIndex((one) => one === progress)))
  const label = PROGRESS[reached]
  if (label !== undefined) return { label, tone: label === 'failed' ? 'bad' : 'good' }
  if (reply) return { label: 'accepted', tone: 'plain' }
  if (received === undefined || received.outcome?.label === 'waits') return rows.at(-1)?.outcome
  return NO_REPLY
}

/** The latest row of each delivery, and the latest call: an earlier failure was tried again since. */
function endsOf(rows: readonly Row[]): readonly Row[] {
  const ends = new Map<string, Row>()
  for (const row of rows) ends.set(row.delivery ?? row.kind, row)
  return [...ends.values()]
}

function noteOf(rows: readonly Row[], outcome: Outcome | undefined): string | undefined {
  const shown = rows.find((row) => row.outcome === outcome && row.outcome?.tone === 'bad')
  const failures = rows.filter((row) => row.outcome?.tone === 'bad').length - (shown === undefined ? 0 : 1)
  const parts = [
    shown?.note ?? shown?.code,
    failures > 0 &&
      `${failures} ${failures === 1 ? 'failure' : 'failures'} ${shown === undefined ? 'fixed' : 'before'}`,
  ].filter((part) => typeof part === 'string')
  return parts.length === 0 ? undefined : parts.join(' · ')
}
