import type { MessageOut } from '../../contract/index.ts'
import type { Handset, SavedPhone } from './saved.ts'
import type { ShownCode, ThreadItem } from './thread.ts'

/** A message that the service took, on its way to a handset. */
export interface SentMessage {
  /** The id of the connected number. */
  readonly number: string
  /** Its record, which holds no one-time code. */
  readonly message: MessageOut
  /** It was to be delivered, and the handset was offline. */
  waiting: boolean
}

/** One customer: a handset, a thread, and when they last wrote. */
export interface Phone {
  readonly customer: string
  readonly handset: Handset
  readonly thread: ThreadItem[]
  /** By the message's id. */
  readonly sent: Map<string, SentMessage>
  /** What the handset shows. */
  readonly codes: ShownCode[]
  /** One-time codes that have not reached the handset yet, by the message's id. */
  readonly codesUnderWay: Map<string, ShownCode>
  /** By the connected number's id: milliseconds since the epoch, by the emulator's clock. */
  readonly lastInboundAt: Map<string, number>
}

export interface Phones {
  /** The customer's phone; a new one where nobody wrote yet. */
  of(customer: string): Phone
  all(): readonly Phone[]
  thread(customer: string): readonly ThreadItem[]
  codes(customer: string): readonly ShownCode[]
  lastInboundAt(customer: string, number: string): number | undefined
  /** Adds something to a thread. */
  show(customer: string, item: ThreadItem): void
  /** To be called after each change of a phone or of something in its thread. */
  changed(customer: string, item?: ThreadItem): void
  save(): readonly SavedPhone[]
  /** To be written at once: it shares what it holds with the phone. */
  saveOne(customer: string): SavedPhone | undefined
}

export function createPhones(
  changed: (customer: string, item: ThreadItem | undefined) => void,
  saved: readonly SavedPhone[] = [],
): Phones {
  const phones = new Map(saved.map((one) => [one.customer, wasSaved(one)]))
  const of = (customer: string): Phone => {
    const known = phones.get(customer)
    if (known) return known
    const phone = newPhone(customer)
    phones.set(customer, phone)
    return phone
  }
  return {
    of,
    all: () => [...phones.values()],
    thread: (customer) => phones.get(customer)?.thread ?? [],
    codes: (customer) => phones.get(customer)?.codes ?? [],
    lastInboundAt: (customer, number) => phones.get(customer)?.lastInboundAt.get(number),
    show(customer, item) {
      of(customer).thread.push(item)
      changed(customer, item)
    },
    changed,
    save: () => structuredClone([...phones.values()].map(savedPhone)),
    saveOne(customer) {
      const phone = phones.get(customer)
      return phone && savedPhone(phone)
    },
  }
}

function newPhone(customer: string): Phone {
  return {
    customer,
    handset: { online: true, receipts: true, blocked: false },
    thread: [],
    sent: new Map(),
    codes: [],
    codesUnderWay: new Map(),
    lastInboundAt: new Map(),
  }
}

function savedPhone({ customer, handset, thread, sent, lastInboundAt }: Phone): SavedPhone {
  return { customer, thread, sent: [...sent.values()], lastInboundAt: Object.fromEntries(lastInboundAt), handset }
}

function wasSaved(saved: SavedPhone): Phone {
  const { customer, thread, sent, lastInboundAt, handset } = structuredClone(saved)
  return {
    ...newPhone(customer),
    thread,
    handset,
    sent: new Map(sent.map((one) => [one.message.id, one])),
    lastInboundAt: new Map(Object.entries(lastInboundAt)),
  }
}
