import { computed, effect, signal } from '@preact/signals'
import { now } from '../state/clock.ts'
import { happenings, loaded } from '../state/follow.ts'
import { customer, openRow, query, selectedMessage } from '../state/view.ts'
import type { Call, Delivery } from '../wire/types.ts'
import { entriesOf, isRow, rowFrom } from './entries.ts'
import { createRows } from './rows/build.ts'
import type { Row } from './rows/table.ts'
import { fits, readQuery } from './search.ts'

const built = createRows()

/** All rows, oldest first. */
export const rows = signal<readonly Row[]>([])
effect(() => {
  // Before all is read, nobody knows the emulator's clock.
  rows.value = built.take(happenings.value, loaded.value ? now.value : 0)
})

export const terms = computed(() => readQuery(query.value))

/** What the list shows: the rows that fit what is searched for, and the days between them. */
export const entries = computed(() => {
  const wanted = terms.value.filter(({ problem }) => problem === undefined)
  if (wanted.length === 0) return entriesOf(rows.value)
  const known = bodies.value
  return entriesOf(rows.value.filter((row) => fits(wanted, row, known.get(keyOf(row)) ?? '')))
})

/** The row that the keyboard is at. */
export const cursor = signal('')

/** Where the list is to go, once it is drawn: the id of a row. */
export const wantedRow = signal('')

/** Moves by rows, and shows where it came to. */
export function moveCursor(by: number): void {
  show(rowFrom(entries.peek(), cursor.peek(), by))
}

export function moveToEnd(of: 'first' | 'last'): void {
  const shown = entries.peek()
  show(of === 'first' ? shown.find(isRow) : shown.findLast(isRow))
}

function show(row: Row | undefined): void {
  if (row === undefined) return
  cursor.value = row.id
  wantedRow.value = row.id
}

/** Opens a row's details; the phone shows and marks the message that it is about. */
export function open(row: Row): void {
  cursor.value = row.id
  openRow.value = row.id
  if (row.customer !== undefined) customer.value = row.customer
  markedHere = row.message ?? ''
  selectedMessage.value = markedHere
}

export function openCursor(): void {
  const row = entries.peek().find(({ id }) => id === cursor.peek())
  if (row !== undefined && isRow(row)) open(row)
}

export function close(): void {
  openRow.value = ''
}

/** What a row marked is in sight already; what the phone marked is to be shown. */
let markedHere = ''

/** The rows of the marked message. */
export const marked = computed<readonly Row[]>(() => {
  const message = selectedMessage.value
  return message === '' ? [] : entries.value.filter((entry): entry is Row => isRow(entry) && entry.message === message)
})

effect(() => {
  const message = selectedMessage.value
  if (message === '' || message === markedHere) return
  markedHere = message
  show(marked.peek()[0])
})

/** To the row of the marked message before or behind the one that the keyboard is at. */
export function moveToMarked(by: 1 | -1): void {
  const all = marked.peek()
  const here = all.findIndex(({ id }) => id === cursor.peek())
  show(all[here < 0 ? 0 : (here + by + all.length) % all.length])
}

export function unmark(): void {
  selectedMessage.value = ''
}

/** What was read of calls and deliveries that were opened, in small letters: a search looks through it too. */
export const bodies = signal<ReadonlyMap<string, string>>(new Map())

/** The same for all attempts of a delivery. */
export function keyOf({ call, delivery }: Pick<Row, 'call' | 'delivery'>): string {
  return delivery ?? call ?? ''
}

export function keepCall(call: Call): void {
  keep(call.id, [call.request.body ?? '', call.response.body])
}

export function keepDelivery({ id, attempts }: Delivery): void {
  keep(id, [...new Set(attempts.flatMap(({ request, response }) => [request.body, response?.body ?? '']))])
}

function keep(key: string, texts: readonly string[]): void {
  bodies.value = new Map(bodies.peek()).set(key, texts.join('\n').toLowerCase())
}
