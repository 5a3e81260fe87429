import { computed } from '@preact/signals'
import { registerShortcuts } from '../../ui/keyboard/registry.ts'
import { customer, isRowByRow, pane, query } from '../state/view.ts'
import { hasTerm, toggleTerm } from './search.ts'

/** A search that is one click away. */
interface Filter {
  readonly label: string
  /** The term that the filter puts into the search box, in place of another with the same key. */
  readonly term: string
}

const FIXED: readonly Filter[] = [
  { label: 'Failed', term: 'status:failed' },
  { label: 'Waiting', term: 'status:pending' },
  { label: 'Messages', term: 'kind:message.received' },
  { label: 'Calls', term: 'kind:call' },
  { label: 'Statuses', term: 'kind:message.status' },
]

export const filters = computed<readonly Filter[]>(() => [
  { label: 'This customer', term: `to:${customer.value}` },
  ...FIXED,
])

export function isOn({ term }: Filter): boolean {
  return hasTerm(query.value, term)
}

export function toggleFilter({ term }: Filter): void {
  query.value = toggleTerm(query.peek(), term)
}

export function toggleRowByRow(): void {
  isRowByRow.value = !isRowByRow.peek()
}

const inTimeline = (change: () => void) => () => {
  pane.value = 'timeline'
  change()
}

const toggleNth = (index: number) =>
  inTimeline(() => {
    const filter = filters.peek()[index]
    if (filter) toggleFilter(filter)
  })

registerShortcuts('Timeline', [
  ...filters
    .peek()
    .map(({ label }, index) => [[], `Show or hide all but: ${label.toLowerCase()}`, toggleNth(index)] as const),
  ['v', 'Show turns, or row by row', inTimeline(toggleRowByRow)],
])
