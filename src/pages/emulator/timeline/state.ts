import { computed, effect, signal } from '@preact/signals'
import { happenings } from '../state/follow.ts'
import { customer, openRowId, query } from '../state/view.ts'
import { hasWords, rowsOf } from './timeline-rows.ts'

export const rows = computed(() => rowsOf(happenings.value))

export const matchingRows = computed(() => {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean)
  return words.length === 0 ? rows.value : rows.value.filter((row) => hasWords(row, words))
})

const PAGE_ROWS = 500
const mostShown = signal(PAGE_ROWS)

/** Only these rows are rendered. */
export const shownRows = computed(() => matchingRows.value.slice(-mostShown.value))

export function showOlder(): void {
  mostShown.value += PAGE_ROWS
}

/** The row whose details are open; undefined if none is open, or if the row was dropped. */
export const openedRow = computed(() => {
  const id = openRowId.value
  return id === '' ? undefined : rows.value.findLast((row) => row.id === id || row.delivery === id)
})

export function closeDetails(): void {
  const row = openedRow.peek()
  openRowId.value = ''
  document.getElementById(`row-${row?.id}`)?.focus({ preventScroll: true })
}

/** The message of the open row. The phone highlights it. */
export const selectedMessage = computed(() => openedRow.value?.message ?? '')

const openedCustomer = computed(() => openedRow.value?.customer)
effect(() => {
  if (openedCustomer.value !== undefined) customer.value = openedCustomer.value
})
