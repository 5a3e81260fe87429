import { type Signal, signal } from '@preact/signals'
import { read } from '../wire/control.ts'
import type { Customer, ShownCode, ThreadItem } from '../wire/types.ts'

/** Everybody with a phone, the one who was heard of last first. */
export const customers = signal<readonly Customer[]>([])

interface Thread {
  readonly items: Signal<readonly ThreadItem[]>
  readonly codes: Signal<readonly ShownCode[]>
}

const threads = new Map<string, Thread>()

/** What one customer's phone shows; it is read when it is first asked for. */
export function threadOf(customer: string): Thread {
  const known = threads.get(customer)
  if (known) return known
  const thread: Thread = { items: signal([]), codes: signal([]) }
  threads.set(customer, thread)
  void loadThread(customer)
  return thread
}

export async function loadCustomers(): Promise<void> {
  const { items } = await read<{ items: readonly Customer[] }>('customers')
  customers.value = items.toSorted((a, b) => (b.last?.at ?? '').localeCompare(a.last?.at ?? ''))
}

/** All that were read before, anew. */
export async function reloadThreads(): Promise<void> {
  await Promise.all([...threads.keys()].map(loadThread))
}

async function loadThread(customer: string): Promise<void> {
  const thread = threads.get(customer)
  if (thread === undefined || !/^\d{6,20}$/.test(customer)) return
  const { items } = await read<{ items: readonly ThreadItem[] }>(`customers/${customer}/thread`)
  thread.items.value = items
  if (items.some(({ template }) => template)) await loadCodes(customer)
}

/** One-time codes are the handset's alone: they are in no stream. */
async function loadCodes(customer: string): Promise<void> {
  const thread = threads.get(customer)
  if (thread === undefined) return
  const { items } = await read<{ items: readonly ShownCode[] }>(`customers/${customer}/codes`)
  thread.codes.value = items
}

/** Something on a phone is new or changed. */
export function placeItem(customer: string, item: ThreadItem): void {
  const thread = threads.get(customer)
  if (thread) {
    const items = thread.items.peek()
    const index = items.findLastIndex(({ id }) => id === item.id)
    thread.items.value = index < 0 ? [...items, item] : items.with(index, item)
    // Without the token there are none to be seen.
    if (item.template) loadCodes(customer).catch(() => undefined)
  }
  placeCustomer(customer, item)
}

const FRESH = { items: 0, last: null, windows: [], handset: { online: true, receipts: true, blocked: false } }

function placeCustomer(customer: string, item: ThreadItem): void {
  const all = customers.peek()
  const known = all.find((one) => one.customer === customer) ?? { customer, ...FRESH }
  if (known.last !== null && known.last.at > item.at && known.last.id !== item.id) return
  customers.value = [{ ...known, last: item }, ...all.filter((one) => one !== known)]
}

export function placeWindow(customer: string, window: { number: string; closesAt: string }): void {
  const all = customers.peek()
  const known = all.find((one) => one.customer === customer) ?? { customer, ...FRESH }
  const windows = [...known.windows.filter(({ number }) => number !== window.number), window]
  customers.value = [{ ...known, windows }, ...all.filter((one) => one !== known)]
}
