import type { Ingested, NewItem, WindowMove } from '../port/index.ts'

const ITEMS_PER_PART = 10

/**
 * Cuts the ingest of a large delivery into parts that are stored one after the other. The items of a customer stay
 * together, the oldest payload time first: whoever looks between two parts finds the oldest message of each customer
 * before the later ones. A window moves with the items of its customer.
 */
export function partsOf(whole: Ingested): readonly Ingested[] {
  const nothing = { ...whole, items: [], windows: [], statuses: [], mutes: [] }
  const windows = Map.groupBy(whole.windows, customerOf)
  const ofItems = chunks(byCustomer(whole.items)).map((items) => {
    const customers = new Set(items.map(customerOf))
    return { ...nothing, items, windows: [...customers].flatMap((customer) => windows.get(customer) ?? []) }
  })
  const customers = new Set(whole.items.map(customerOf))
  const others = whole.windows.filter((window) => !customers.has(customerOf(window)))
  return [
    ...chunks(whole.statuses).map((statuses) => ({ ...nothing, statuses })),
    ...chunks(whole.mutes ?? []).map((mutes) => ({ ...nothing, mutes })),
    ...chunks(others).map((moves) => ({ ...nothing, windows: moves })),
    ...ofItems,
  ]
}

/** The customers follow one another by their oldest message. */
function byCustomer(items: readonly NewItem[]): readonly NewItem[] {
  const oldestFirst = items.toSorted((a, b) => a.at - b.at)
  return [...Map.groupBy(oldestFirst, customerOf).values()].flat()
}

function customerOf({ number, customer = '' }: Pick<NewItem | WindowMove, 'number' | 'customer'>): string {
  return `${number}/${customer}`
}

function chunks<T>(list: readonly T[]): readonly (readonly T[])[] {
  const parts: T[][] = []
  for (let start = 0; start < list.length; start += ITEMS_PER_PART)
    parts.push(list.slice(start, start + ITEMS_PER_PART))
  return parts
}
