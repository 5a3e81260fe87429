import type { Row } from './timeline-rows.ts'

/** A chip beside the search. It shows only matching rows. Of each group one chip can be on. */
interface Chip {
  readonly label: string
  readonly group: 'customer' | 'outcome' | 'kind'
  readonly fits: (row: Row, selectedCustomer: string) => boolean
}

export const CHIPS = {
  customer: { label: 'This customer', group: 'customer', fits: (row, selected) => row.customer === selected },
  failed: { label: 'Failed', group: 'outcome', fits: ({ outcome }) => outcome?.tone === 'bad' },
  waiting: {
    label: 'Waiting',
    group: 'outcome',
    fits: ({ outcome, note }) => outcome?.label === 'waits' || note === 'will be retried',
  },
  messages: { label: 'Messages', group: 'kind', fits: ({ title }) => title === 'message.received' },
  calls: { label: 'Calls', group: 'kind', fits: ({ call }) => call !== undefined },
  statuses: { label: 'Statuses', group: 'kind', fits: ({ title }) => title === 'message.status' },
} as const satisfies Record<string, Chip>

export type ChipName = keyof typeof CHIPS

export function isChipName(name: string): name is ChipName {
  return Object.hasOwn(CHIPS, name)
}

/** Turns a chip off, or on instead of another one of its group. */
export function toggleChip(on: readonly ChipName[], name: ChipName): readonly ChipName[] {
  if (on.includes(name)) return on.filter((one) => one !== name)
  return [...on.filter((one) => CHIPS[one].group !== CHIPS[name].group), name]
}

/** Tests whether a row contains every word of the query and matches all chips; undefined if every row does. */
export function rowFilter(
  query: string,
  chips: readonly ChipName[],
  selectedCustomer: string,
): ((row: Row) => boolean) | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0 && chips.length === 0) return undefined
  return (row) => {
    const { title, detail, text, note, outcome, customer, delivery, message, call } = row
    const parts = [title, detail, text, note, outcome?.label, customer, delivery, message, call]
    const searched = parts.join(' ').toLowerCase()
    return (
      words.every((word) => searched.includes(word)) && chips.every((name) => CHIPS[name].fits(row, selectedCustomer))
    )
  }
}
