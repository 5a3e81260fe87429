import { batch, computed, effect, signal } from '@preact/signals'
import { notice } from '../../ui/components/messages.ts'
import { happenings, isLoaded } from '../state/follow.ts'
import { chips, customer, isRowByRow, linkedDelivery, openRowId, pane, query, selectedMessage } from '../state/view.ts'
import { isLine, type Line, lineAtDistance, listEntries, type TurnLine } from './entries.ts'
import { isChipName, rowFilter } from './filter.ts'
import { createRows } from './rows/rows.ts'
import type { Row } from './rows/table.ts'

const builder = createRows()

/** All rows, oldest first. */
export const rows = signal<readonly Row[]>([])
effect(() => {
  rows.value = builder.update(happenings.value)
})

export const chipsOn = computed(() => chips.value.filter(isChipName))

const filter = computed(() =>
  rowFilter(query.value, chipsOn.value, chipsOn.value.includes('customer') ? customer.value : ''),
)

const unfolded = signal<ReadonlySet<string>>(new Set())

/** The lines of the list: turns and rows that match the search, with lines between the days. */
export const entries = computed(() =>
  listEntries(rows.value, {
    unfolded: unfolded.value,
    isRowByRow: isRowByRow.value,
    ...(filter.value && { matches: filter.value }),
  }),
)

/** So many lines are rendered at least, and at most twice as many, unless the reader asks for older ones. */
const PAGE_LINES = 500
const wantedLines = signal(PAGE_LINES)

/** The latest lines, which are rendered. The first one changes rarely, so that lines stay while a reader reads them. */
export const shownEntries = computed(() => {
  const tooMany = entries.value.length - wantedLines.value
  return tooMany <= 0 ? entries.value : entries.value.slice(Math.floor(tooMany / PAGE_LINES) * PAGE_LINES)
})

export function showOlder(): void {
  wantedLines.value = shownEntries.peek().length + PAGE_LINES
}

export const cursor = signal('')

/** The lines that the list must scroll to as soon as it is visible, the most important one last. */
export const scrollTargets = signal<readonly string[]>([])

export function moveCursor(by: number): void {
  moveTo(lineAtDistance(entries.peek(), cursor.peek(), by))
}

export function moveToEnd(end: 'first' | 'last'): void {
  const all = shownEntries.peek()
  moveTo(end === 'first' ? all.find(isLine) : all.findLast(isLine))
}

function moveTo(line: { readonly id: string } | undefined): void {
  if (line === undefined) return
  const all = entries.peek()
  const index = all.findIndex(({ id }) => id === line.id)
  if (index < all.length - shownEntries.peek().length) wantedLines.value = all.length - index
  cursor.value = line.id
  scrollTargets.value = [line.id]
}

function setUnfolded(id: string, isOpen: boolean): void {
  const all = new Set(unfolded.peek())
  if (isOpen) all.add(id)
  else all.delete(id)
  unfolded.value = all
}

/** The line of the turn stays in sight, with as many of its rows below as there is room for. */
function toggleTurn({ id, isOpen, turn }: TurnLine): void {
  cursor.value = id
  scrollTargets.value = [turn.rows.at(-1)?.id ?? id, id]
  setUnfolded(id, !isOpen)
}

function lineAtCursor(): Line | undefined {
  return entries.peek().find((entry): entry is Line => entry.id === cursor.peek() && isLine(entry))
}

/** Unfolds or folds the turn at the cursor, or opens the details of the row there. */
export function openCursor(): void {
  const line = lineAtCursor()
  if (line?.kind === 'turn') toggleTurn(line)
  else if (line) openRow(line.row)
}

/** Unfolds the turn at the cursor; goes to its first row if it is unfolded. */
export function unfoldCursor(): void {
  const line = lineAtCursor()
  if (line?.kind !== 'turn') return
  if (line.isOpen) moveCursor(1)
  else toggleTurn(line)
}

/** Folds the turn at the cursor; goes to the line of the turn from one of its rows. */
export function foldCursor(): void {
  const line = lineAtCursor()
  if (line?.kind === 'turn' && line.isOpen) toggleTurn(line)
  else if (line?.kind === 'row' && line.isInTurn) moveTo({ id: line.row.turn ?? '' })
}

/** Opens a row's details and marks its message on the phone. */
function openRow(row: Row): void {
  cursor.value = row.id
  scrollTargets.value = [row.id]
  openRowId.value = row.id
  if (row.customer !== undefined) customer.value = row.customer
  messageInSight = row.message ?? ''
  selectedMessage.value = messageInSight
}

/** Goes to a row: unfolds its turn, and clears a search that hides it. */
function reveal(row: Row): void {
  if (row.turn !== undefined) setUnfolded(row.turn, true)
  if (!entries.peek().some(({ id }) => id === row.id)) clearSearch()
  moveTo(row)
}

export function clearSearch(): void {
  batch(() => {
    query.value = ''
    chips.value = []
  })
}

export function closeRow(): void {
  openRowId.value = ''
  selectedMessage.value = ''
}

/** Shows the timeline and focuses its list, so that the next key works there. */
export function focusList(): void {
  pane.value = 'timeline'
  const focus = () => document.querySelector<HTMLElement>('#timeline-rows')?.focus({ preventScroll: true })
  focus()
  // A narrow screen renders the pane first.
  requestAnimationFrame(focus)
}

/** The marked message whose row is in sight already, because the mark came from the row. */
let messageInSight = ''

effect(() => {
  const message = selectedMessage.value
  if (message === messageInSight) return
  messageInSight = message
  const row = message === '' ? undefined : rows.peek().find((one) => one.message === message)
  if (row) reveal(row)
})

/** The row whose details are open; undefined if none is open, or if the row was dropped. */
export const openedRow = computed(() => {
  const id = openRowId.value
  return id === '' ? undefined : rows.value.findLast((row) => row.id === id)
})
const openedTurn = computed(() => openedRow.value?.turn)
// An address that names a row shows it within its turn.
effect(() => {
  if (openedTurn.value !== undefined) setUnfolded(openedTurn.value, true)
})

// The address, or an action, names a delivery to be shown. Its row may arrive later.
effect(() => {
  const delivery = linkedDelivery.value
  const row = delivery === '' ? undefined : rows.value.findLast((one) => one.delivery === delivery)
  if (row === undefined) return
  linkedDelivery.value = ''
  openRow(row)
  reveal(row)
})

/** After this time the reader learns that the row of a linked delivery does not exist. */
const LATE_MS = 2_000
effect(() => {
  const delivery = linkedDelivery.value
  if (delivery === '' || !isLoaded.value) return undefined
  const timer = setTimeout(() => {
    notice.value = `The delivery ${delivery} is not kept: it is of another run, or older than the latest 20,000 events.`
  }, LATE_MS)
  return () => clearTimeout(timer)
})
