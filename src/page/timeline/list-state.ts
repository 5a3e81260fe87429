import { computed, effect, signal } from '@preact/signals'
import { now } from '../state/clock.ts'
import { happenings, isLoaded } from '../state/follow.ts'
import { customer, openRowId, query, selectedMessage } from '../state/view.ts'
import type { Call, Delivery } from '../wire/types.ts'
import { isRow, rowAtDistance, withDayLines } from './entries.ts'
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

/** All attempts of a delivery share one key. */
function bodyKey({ call, delivery }: Pick<Row, 'call' | 'delivery'>): string {
  return delivery ?? call ?? ''
}

export function rememberCall(call: Call): void {
  rememberBodies(call.id, [call.request.body ?? '', call.response.body])
}

export function rememberDelivery({ id, attempts }: Delivery): void {
  rememberBodies(id, [...new Set(attempts.flatMap(({ request, response }) => [request.body, response?.body ?? '']))])
}

function rememberBodies(key: string, texts: readonly string[]): void {
  knownBodies.value = new Map(knownBodies.peek()).set(key, texts.join('\n').toLowerCase())
}

/** The terms of the search. */
export const terms = computed(() => parseQuery(query.value))

/** The entries of the list: the rows that match the search, with lines between the days. */
export const entries = computed(() => {
  const valid = terms.value.filter(({ problem }) => problem === undefined)
  if (valid.length === 0) return withDayLines(rows.value)
  const bodies = knownBodies.value
  return withDayLines(rows.value.filter((row) => matches(valid, row, bodies.get(bodyKey(row)) ?? '')))
})

/** The id of the row that the keyboard is at. */
export const cursor = signal('')

/** The id of a row that the list must scroll to as soon as it can; empty for none. */
export const scrollTarget = signal('')

/** Moves the cursor by a number of rows. */
export function moveCursor(by: number): void {
  moveTo(rowAtDistance(entries.peek(), cursor.peek(), by))
}

export function moveToEnd(end: 'first' | 'last'): void {
  const all = entries.peek()
  moveTo(end === 'first' ? all.find(isRow) : all.findLast(isRow))
}

function moveTo(row: Row | undefined): void {
  if (row === undefined) return
  cursor.value = row.id
  scrollTarget.value = row.id
}

/** Opens a row's details and marks its message on the phone. */
export function openRow(row: Row): void {
  cursor.value = row.id
  openRowId.value = row.id
  if (row.customer !== undefined) customer.value = row.customer
  messageInSight = row.message ?? ''
  selectedMessage.value = messageInSight
}

export function openCursor(): void {
  const row = entries.peek().find(({ id }) => id === cursor.peek())
  if (row !== undefined && isRow(row)) openRow(row)
}

export function closeRow(): void {
  openRowId.value = ''
}

/** The rows of the marked message. */
export const markedRows = computed<readonly Row[]>(() => {
  const message = selectedMessage.value
  return message === '' ? [] : entries.value.filter((entry): entry is Row => isRow(entry) && entry.message === message)
})

/** The marked message whose row is in sight already, because the mark came from the row. */
let messageInSight = ''

effect(() => {
  const message = selectedMessage.value
  if (message === '' || message === messageInSight) return
  messageInSight = message
  moveTo(markedRows.peek()[0])
})

/** Moves the cursor to the previous or the next row of the marked message. */
export function moveToMarked(by: 1 | -1): void {
  const all = markedRows.peek()
  const here = all.findIndex(({ id }) => id === cursor.peek())
  moveTo(all[here < 0 ? 0 : (here + by + all.length) % all.length])
}

export function unmark(): void {
  selectedMessage.value = ''
}
