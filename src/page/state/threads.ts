import { batch, type Signal, signal } from '@preact/signals'
import { RECIPIENT_FORM } from '../../contract/phones.ts'
import { read } from '../wire/control.ts'
import { controlToken } from './token.ts'
import type { Customer, Handset, ShownCode, ThreadItem } from '../wire/types.ts'

/** Everybody with a phone, the one who was heard of last first. */
export const customers = signal<readonly Customer[]>([])

interface Thread {
  readonly items: Signal<readonly ThreadItem[]>
  readonly codes: Signal<readonly ShownCode[]>
  /** While it is read: what was told meanwhile, and may not be in what is read. */
  told?: ThreadItem[] | undefined
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
  if (thread === undefined || !RECIPIENT_FORM.test(customer)) return
  const told: ThreadItem[] = []
  thread.told = told
  try {
    const { items } = await read<{ items: readonly ThreadItem[] }>(`customers/${customer}/thread`)
    // Ids begin anew with a reset: no code of before may stand beside a message of now.
    const codes = items.some(({ template }) => template) ? await readCodes(customer) : []
    // It is being read once more: that alone counts.
    if (thread.told !== told) return
    batch(() => {
      thread.items.value = told.reduce(withItem, items)
      thread.codes.value = codes
    })
  } finally {
    if (thread.told === told) thread.told = undefined
  }
}

/** One-time codes are the handset's alone: they are in no stream. */
async function readCodes(customer: string): Promise<readonly ShownCode[]> {
  if (controlToken.peek() === '') return []
  const { items } = await read<{ items: readonly ShownCode[] }>(`customers/${customer}/codes`)
    // A token of an earlier run shows none, and everything else all the same.
    .catch(() => NONE)
  return items
}

const NONE: { readonly items: readonly ShownCode[] } = { items: [] }

function withItem(items: readonly ThreadItem[], item: ThreadItem): readonly ThreadItem[] {
  const index = items.findLastIndex(({ id }) => id === item.id)
  return index < 0 ? [...items, item] : items.with(index, item)
}

/** Something on a phone is new or changed. */
export function placeItem(customer: string, item: ThreadItem): void {
  const thread = threads.get(customer)
  // One that is being read knows nothing yet.
  const before = thread?.told === undefined ? thread?.items.peek() : undefined
  if (thread) {
    thread.told?.push(item)
    thread.items.value = withItem(thread.items.peek(), item)
    if (item.template) void showCodes(customer, thread)
  }
  const isNew = before?.every(({ id }) => id !== item.id)
  placeCustomer(customer, item, isNew)
}

async function showCodes(customer: string, { codes }: Thread): Promise<void> {
  codes.value = await readCodes(customer)
}

/** Of a handset that nobody has switched. */
export const USUAL_HANDSET: Handset = { online: true, receipts: true, blocked: false }

const FRESH = { items: 0, last: null, windows: [], handset: USUAL_HANDSET }

export function placeHandset(customer: string, handset: Handset): void {
  const all = customers.peek()
  if (!all.some((one) => one.customer === customer)) customers.value = [...all, { customer, ...FRESH, handset }]
  else customers.value = all.map((one) => (one.customer === customer ? { ...one, handset } : one))
}

/** `isNew`: it was not on the phone before; undefined where nobody here knows. */
function placeCustomer(customer: string, item: ThreadItem, isNew: boolean | undefined): void {
  const all = customers.peek()
  const known = all.find((one) => one.customer === customer) ?? { customer, ...FRESH }
  // An older one got another status, or the clock went back before a new one was written.
  if (known.last !== null && known.last.at > item.at && known.last.id !== item.id && isNew !== true)
    return isNew === undefined ? loadCustomersSoon() : undefined
  customers.value = [{ ...known, last: item }, ...all.filter((one) => one !== known)]
}

const SOON_MS = 50
let soon: ReturnType<typeof setTimeout> | undefined

function loadCustomersSoon(): void {
  soon ??= setTimeout(() => {
    soon = undefined
    // Where the emulator is gone, they are read once it is back.
    loadCustomers().catch(() => undefined)
  }, SOON_MS)
}

export function placeWindow(customer: string, window: { number: string; closesAt: string }): void {
  const all = customers.peek()
  const known = all.find((one) => one.customer === customer) ?? { customer, ...FRESH }
  const windows = [...known.windows.filter(({ number }) => number !== window.number), window]
  customers.value = [{ ...known, windows }, ...all.filter((one) => one !== known)]
}
