import { computed, effect, signal } from '@preact/signals'
import { now } from '../state/clock.ts'
import { happenings, isLoaded } from '../state/follow.ts'
import { customer, isRowByRow, openRowId, query, selectedMessage } from '../state/view.ts'
import type { Call, Delivery } from '../wire/types.ts'
import { isLine, type Line, lineAtDistance, listEntries, type TurnLine } from './entries.ts'
import { createRows } from './rows/build.ts'
import type { Row } from './rows/table.ts'
import { matches, parseQuery } from './search.ts'

const builder = createRows()

/** All rows, oldest first. */
export const rows = signal<readonly Row[]>([])
effect(() => {
  // The emulator's clock is unknown until everything is read.
  rows.value = builder.update(happenings.value, isLoaded.value ? now.value : 0)
})

/** The bodies of the calls and deliveries that were opened, in lower case, so that a search finds them too. */
const knownBodies = signal<ReadonlyMap<string, string>>(new Map())

export function rememberCall(call: Call): void {
  rememberBodies(call.id, [call.request.body ?? '', call.response.body])
}

export function rememberDelivery({ id, attempts }: Delivery): void {
  rememberBodies(id, [...new Set(attempts.flatMap(({ request, response }) => [request.body, response?.body ?? '']))])
}

function rememberBodies(key: string, texts: readonly string[]): void {
  knownBodies.value = new Map(knownBodies.peek()).set(key, texts.join('\n').toLowerCase())
}

export const terms = computed(() => parseQuery(query.value))

const unfolded = signal<ReadonlySet<string>>(new Set())

/** The lines of the list: turns and rows that match the search, with lines between the days. */
export const entries = computed(() => {
  const valid = terms.value.filter(({ problem }) => problem === undefined)
  const bodies = knownBodies.value
  const shown = { unfolded: unfolded.value, isRowByRow: isRowByRow.value }
  if (valid.length === 0) return listEntries(rows.value, shown)
  // All attempts of a delivery share the bodies.
  const bodyOf = ({ call, delivery }: Row) => bodies.get(delivery ?? call ?? '') ?? ''
  return listEntries(rows.value, { ...shown, matches: (row) => matches(valid, row, bodyOf(row)) })
})

export const cursor = signal('')

/** The id of a line that the list must scroll to as soon as it can; empty for none. */
export const scrollTarget = signal('')

/** The id of the turn that was just unfolded or folded: its line stays where it is, with its rows in sight below. */
export const toggledTurn = signal('')

export function moveCursor(by: number): void {
  moveTo(lineAtDistance(entries.peek(), cursor.peek(), by))
}

export function moveToEnd(end: 'first' | 'last'): void {
  const all = entries.peek()
  moveTo(end === 'first' ? all.find(isLine) : all.findLast(isLine))
}

function moveTo(line: { readonly id: string } | undefined): void {
  if (line === undefined) return
  cursor.value = line.id
  scrollTarget.value = line.id
}

function toggleTurn({ id, isOpen }: TurnLine): void {
  toggledTurn.value = id
  cursor.value = id
  setUnfolded(id, !isOpen)
}

function setUnfolded(id: string, isOpen: boolean): void {
  const all = new Set(unfolded.peek())
  if (isOpen) all.add(id)
  else all.delete(id)
  unfolded.value = all
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
export function openRow(row: Row): void {
  cursor.value = row.id
  openRowId.value = row.id
  if (row.customer !== undefined) customer.value = row.customer
  messageInSight = row.message ?? ''
  selectedMessage.value = messageInSight
}

/** Goes to a row: unfolds its turn, and clears a search that hides it. */
export function reveal(row: Row): void {
  if (row.turn !== undefined) setUnfolded(row.turn, true)
  if (!entries.peek().some(({ id }) => id === row.id)) query.value = ''
  moveTo(row)
}

export function closeRow(): void {
  openRowId.value = ''
  selectedMessage.value = ''
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

const openedTurn = computed(() => {
  const id = openRowId.value
  return id === '' ? undefined : rows.value.findLast((row) => row.id === id)?.turn
})
// An address that names a row shows it within its turn.
effect(() => {
  if (openedTurn.value !== undefined) setUnfolded(openedTurn.value, true)
})
