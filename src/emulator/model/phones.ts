import { z } from 'zod'
import type { MessageOut } from '../../service/answers.ts'
import type { ShownCode, ThreadItem } from './thread.ts'

export interface SentMessage {
  readonly number: string
  /** The message. A one-time code in it is withheld. */
  readonly message: MessageOut
  /** True if the message is delivered as soon as the handset is online again. */
  waiting: boolean
}

export interface Phone {
  readonly customer: string
  readonly handset: Handset
  readonly thread: ThreadItem[]
  readonly sent: Map<string, SentMessage>
  /** The upstream platform's ids of the customer's messages, by the service's ids. */
  readonly written: Map<string, string>
  readonly codes: ShownCode[]
  /** One-time codes that are not delivered yet, by the message's id. */
  readonly codesUnderWay: Map<string, ShownCode>
  /** For the id of each connected number: milliseconds since the epoch, by the emulator's clock. */
  readonly lastInboundAt: Map<string, number>
}

export const handsetSchema = z.strictObject({
  /** If false, messages wait until the phone is online again. */
  online: z.boolean(),
  /** If true, the customer has blocked the business, and every message fails. */
  blocked: z.boolean(),
})

export type Handset = z.infer<typeof handsetSchema>

const DEFAULT_HANDSET: Handset = { online: true, blocked: false }

export function createPhones(changedItem: (customer: string, item: ThreadItem) => void) {
  const phones = new Map<string, Phone>()
  const of = (customer: string): Phone => {
    const known = phones.get(customer)
    if (known) return known
    const phone: Phone = {
      customer,
      handset: { ...DEFAULT_HANDSET },
      thread: [],
      sent: new Map(),
      written: new Map(),
      codes: [],
      codesUnderWay: new Map(),
      lastInboundAt: new Map(),
    }
    phones.set(customer, phone)
    return phone
  }
  return {
    of,
    all: (): readonly Phone[] => [...phones.values()],
    thread: (customer: string): readonly ThreadItem[] => phones.get(customer)?.thread ?? [],
    codes: (customer: string): readonly ShownCode[] => phones.get(customer)?.codes ?? [],
    lastInboundAt: (customer: string, number: string) => phones.get(customer)?.lastInboundAt.get(number),
    /** Adds an item to the phone. An edited message of the customer keeps its id, and replaces the earlier one. */
    show(customer: string, item: ThreadItem): void {
      const { thread } = of(customer)
      const at = item.direction === 'INBOUND' ? thread.findIndex(({ id }) => id === item.id) : -1
      if (at < 0) thread.push(item)
      else thread[at] = item
      changedItem(customer, item)
    },
    changedItem,
  }
}
