import { batch, type Signal, signal } from '@preact/signals'
import { RECIPIENT_FORM } from '../../contract/limits.ts'
import { controlToken, read } from '../wire/control.ts'
import type { ShownCode, ThreadItem } from '../wire/types.ts'
import { placeCustomer } from './customers.ts'

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
