import { batch, type Signal, signal } from '@preact/signals'
import { RECIPIENT_FORM } from '../../../service/endpoints.ts'
import { read } from '../wire/control.ts'
import type { ShownCode, ThreadItem } from '../wire/wire-types.ts'

interface Thread {
  readonly items: Signal<readonly ThreadItem[]>
  readonly codes: Signal<readonly ShownCode[]>
  /** Set while the thread is read: the items that arrived meanwhile, which the answer may not contain. */
  arrived?: ThreadItem[] | undefined
}

const threads = new Map<string, Thread>()

export function threadOf(customer: string): Thread {
  const known = threads.get(customer)
  if (known) return known
  const thread: Thread = { items: signal([]), codes: signal([]) }
  threads.set(customer, thread)
  // If the emulator does not answer, all threads are read again when it is back.
  loadThread(customer).catch(() => undefined)
  return thread
}

export async function reloadThreads(): Promise<void> {
  await Promise.all([...threads.keys()].map(loadThread))
}

async function loadThread(customer: string): Promise<void> {
  const thread = threads.get(customer)
  if (thread === undefined || !RECIPIENT_FORM.test(customer)) return
  const arrived: ThreadItem[] = []
  thread.arrived = arrived
  try {
    const { items } = await read<{ items: readonly ThreadItem[] }>(`customers/${customer}/thread`)
    // Ids start again after a reset, so an old code must not appear beside a new message.
    const codes = items.some(({ template }) => template) ? await readCodes(customer) : []
    // A later read of the same thread has begun, and only the latest counts.
    if (thread.arrived !== arrived) return
    batch(() => {
      thread.items.value = arrived.reduce(upsert, items)
      thread.codes.value = codes
    })
  } finally {
    if (thread.arrived === arrived) thread.arrived = undefined
  }
}

/** Reads the one-time codes of a phone, because no stream contains them. */
async function readCodes(customer: string): Promise<readonly ShownCode[]> {
  return (await read<{ items: readonly ShownCode[] }>(`customers/${customer}/codes`)).items
}

function upsert(items: readonly ThreadItem[], item: ThreadItem): readonly ThreadItem[] {
  const index = items.findLastIndex(({ id }) => id === item.id)
  return index < 0 ? [...items, item] : items.with(index, item)
}

export function applyItem(customer: string, item: ThreadItem): void {
  const thread = threads.get(customer)
  if (thread === undefined) return
  thread.arrived?.push(item)
  thread.items.value = upsert(thread.items.peek(), item)
  if (item.template) reloadCodes(customer, thread).catch(() => undefined)
}

async function reloadCodes(customer: string, { codes }: Thread): Promise<void> {
  codes.value = await readCodes(customer)
}
