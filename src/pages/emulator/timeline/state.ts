import { computed, effect, signal } from '@preact/signals'
import { happenings } from '../state/follow.ts'
import { customer, linkedDelivery, openRowId, query, selectedMessage } from '../state/view.ts'
import { createRows, hasWords, type Row } from './timeline-rows.ts'

const readRows = createRows()

export const rows = signal<readonly Row[]>([])
effect(() => {
  rows.value = readRows(happenings.value)
})

export const matchingRows = computed(() => {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean)
  return words.length === 0 ? rows.value : rows.value.filter((row) => hasWords(row, words))
})

/** At least this many rows are rendered, and at most twice as many, unless the reader requests older ones. */
const PAGE_ROWS = 500
const wantedRows = signal(PAGE_ROWS)

/**
 * The latest rows, which are rendered. The first one changes rarely, so that rows do not move while somebody reads
 * them.
 */
export const shownRows = computed(() => {
  const tooMany = matchingRows.value.length - wantedRows.value
  return tooMany <= 0 ? matchingRows.value : matchingRows.value.slice(Math.floor(tooMany / PAGE_ROWS) * PAGE_ROWS)
})

export function showOlder(): void {
  wantedRows.value = shownRows.peek().length + PAGE_ROWS
}

/** The id of the row to scroll to as soon as the list is visible; empty for none. */
export const scrollTarget = signal('')

export function openRow(row: Row): void {
  scrollTarget.value = row.id
  openRowId.value = row.id
  if (row.customer !== undefined) customer.value = row.customer
  messageInSight = row.message ?? ''
  selectedMessage.value = messageInSight
}

function reveal(row: Row): void {
  if (!matchingRows.peek().includes(row)) query.value = ''
  const all = matchingRows.peek()
  const index = all.indexOf(row)
  if (index < all.length - shownRows.peek().length) wantedRows.value = all.length - index
  scrollTarget.value = row.id
}

export function closeDetails(): void {
  const id = openRowId.peek()
  openRowId.value = ''
  selectedMessage.value = ''
  document.getElementById(`row-${id}`)?.focus({ preventScroll: true })
}

/** The highlighted message whose row is visible already, because the user chose it there. */
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

// The address or an action names a delivery to show. Its row may arrive later.
effect(() => {
  const delivery = linkedDelivery.value
  const row = delivery === '' ? undefined : rows.value.findLast((one) => one.delivery === delivery)
  if (row === undefined) return
  linkedDelivery.value = ''
  openRow(row)
  reveal(row)
})
