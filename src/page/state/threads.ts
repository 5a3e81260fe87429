import { type Signal, signal } from '@preact/signals'
import { read } from '../wire/control.ts'
import { controlToken } from './token.ts'
import type { Customer, Handset, ShownCode, ThreadItem } from '../wire/types.ts'

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
  // Where the emulator is gone, it is read with all the others once it is back.
  loadThread(customer).catch(() => undefined)
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
  if (thread === undefined || controlToken.peek() === '') return
  // A token of an earlier run shows none, and everything else all the same.
  const { items } = await read<{ items: readonly ShownCode[] }>(`customers/${customer}/codes`).catch(() => NONE)
  thread.codes.value = items
}

const NONE: { readonly items: readonly ShownCode[] } = { items: [] }

/** Something on a phone is new or changed. */
export function placeItem(customer: string, item: ThreadItem): void {
  const thread = threads.get(customer)
  if (thread) {
    const items = thread.items.peek()
    const index = items.findLastIndex(({ id }) => id === item.id)
    thread.items.value = index < 0 ? [...items, item] : items.with(index, item)
    if (item.template) void loadCodes(customer)
  }
  placeCustomer(customer, item)
}

const FRESH = { items: 0, last: null, windows: [], handset: { online: true, receipts: true, blocked: false } }

export function placeHandset(customer: string, handset: Handset): void {
  const all = customers.peek()
  if (!all.some((one) => one.customer === customer)) customers.value = [...all, { customer, ...FRESH, handset }]
  else customers.value = all.map((one) => (one.customer === customer ? { ...one, handset } : one))
}

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
