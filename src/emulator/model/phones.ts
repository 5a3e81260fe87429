import { z } from 'zod'
import { messageSchema, type MessageOut } from '../../contract/index.ts'
import { RECIPIENT_FORM } from '../../contract/limits.ts'
import { moment } from './clock.ts'
import type { ShownCode, ThreadItem } from './thread.ts'

/** A message that the service accepted, on its way to a handset. */
export interface SentMessage {
  readonly number: string
  /** The recorded message, which holds no one-time code. */
  readonly message: MessageOut
  /** The message was to be delivered while the handset was offline. */
  waiting: boolean
}

/** One customer: a handset, a thread, and when they last wrote. */
export interface Phone {
  readonly customer: string
  readonly handset: Handset
  readonly thread: ThreadItem[]
  readonly sent: Map<string, SentMessage>
  readonly codes: ShownCode[]
  /** One-time codes that have not reached the handset yet, by the message's id. */
  readonly codesUnderWay: Map<string, ShownCode>
  /** By the connected number's id: milliseconds since the epoch, by the emulator's clock. */
  readonly lastInboundAt: Map<string, number>
}

export const handsetSchema = z.strictObject({
  /** Messages reach the handset. Those that come while it is offline are delivered when it is back. */
  online: z.boolean(),
  /** The business is told when its messages are read or played. */
  receipts: z.boolean(),
  /** The customer has blocked the business: every message fails. */
  blocked: z.boolean(),
})

export type Handset = z.infer<typeof handsetSchema>

const DEFAULT_HANDSET: Handset = { online: true, receipts: true, blocked: false }

export interface Phones {
  /** The customer's phone; a new one if the customer has none yet. */
  of(customer: string): Phone
  all(): readonly Phone[]
  thread(customer: string): readonly ThreadItem[]
  codes(customer: string): readonly ShownCode[]
  handset(customer: string): Handset
  lastInboundAt(customer: string, number: string): number | undefined
  show(customer: string, item: ThreadItem): void
  /** Must be called after each change of a phone, with the item if one changed without showing it. */
  changed(customer: string, item?: ThreadItem): void
  /** Must be called after each change that an item of a thread shows. */
  changedItem(customer: string, item: ThreadItem): void
  save(): readonly SavedPhone[]
  /** A phone without its thread. It shares its objects with the phone, as an item does: to be written at once. */
  saveOne(customer: string): Omit<SavedPhone, 'thread' | 'sent'> | undefined
  /** The ids of all items, as `changed` is given them; they sort in the order of the thread. */
  itemIds(): readonly string[]
  saveItem(id: string): SavedItem | undefined
}

/** An item of a thread, with its way to the handset if it was sent. */
interface SavedItem {
  readonly customer: string
  readonly item: ThreadItem
  readonly sent?: SentMessage
}

interface PhonesDeps {
  /** Called with the customer whose phone is new or changed, and the id of the item that did. */
  readonly changed: (customer: string, itemId?: string) => void
  /** Called with each item that is new in a thread, or shows a change. */
  readonly shown: (customer: string, item: ThreadItem) => void
}

export function createPhones(deps: PhonesDeps, saved: readonly SavedPhone[] = []): Phones {
  const phones = new Map(saved.map((one) => [one.customer, restorePhone(one)]))
  const of = (customer: string): Phone => {
    const known = phones.get(customer)
    if (known) return known
    const phone = newPhone(customer)
    phones.set(customer, phone)
    return phone
  }
  const changed = (customer: string, item?: ThreadItem) =>
    deps.changed(customer, item && itemId(customer, of(customer).thread.lastIndexOf(item)))
  const changedItem = (customer: string, item: ThreadItem) => {
    changed(customer, item)
    deps.shown(customer, item)
  }
  return {
    of,
    all: () => [...phones.values()],
    thread: (customer) => phones.get(customer)?.thread ?? [],
    codes: (customer) => phones.get(customer)?.codes ?? [],
    handset: (customer) => ({ ...(phones.get(customer)?.handset ?? DEFAULT_HANDSET) }),
    lastInboundAt: (customer, number) => phones.get(customer)?.lastInboundAt.get(number),
    show(customer, item) {
      of(customer).thread.push(item)
      changedItem(customer, item)
    },
    changed,
    changedItem,
    save: () =>
      structuredClone(
        [...phones.values()].map((phone) => ({
          ...saveWithoutThread(phone),
          thread: phone.thread,
          sent: [...phone.sent.values()],
        })),
      ),
    saveOne(customer) {
      const phone = phones.get(customer)
      return phone && saveWithoutThread(phone)
    },
    itemIds: () => [...phones.values()].flatMap(({ customer, thread }) => thread.map((_, at) => itemId(customer, at))),
    saveItem(id) {
      const [customer = '', at] = id.split('/')
      const phone = phones.get(customer)
      const item = phone?.thread[Number(at)]
      const sent = item && phone?.sent.get(item.id)
      return item && { customer, item, ...(sent && { sent }) }
    },
  }
}

function itemId(customer: string, at: number): string {
  return `${customer}/${String(at).padStart(9, '0')}`
}

function newPhone(customer: string): Phone {
  return {
    customer,
    handset: { ...DEFAULT_HANDSET },
    thread: [],
    sent: new Map(),
    codes: [],
    codesUnderWay: new Map(),
    lastInboundAt: new Map(),
  }
}

const choiceSchema = z.looseObject({ id: z.string(), title: z.string() })

/** Checked as far as the phone itself reads it; the rest is only shown. */
const interactiveSchema = z.looseObject({
  type: z.string(),
  buttons: z.array(choiceSchema).optional(),
  sections: z
    .array(z.looseObject({ rows: z.array(choiceSchema.extend({ description: z.string().nullable() })) }))
    .optional(),
})

const itemSchema = z.looseObject({
  id: z.string(),
  direction: z.enum(['INBOUND', 'OUTBOUND']),
  kind: z.string(),
  text: z.string().nullable(),
  content: z.string().nullable(),
  status: z.string().nullable(),
  at: z.iso.datetime(),
  by: z.enum(['agent', 'dashboard']).optional(),
  template: z.looseObject({ name: z.string(), language: z.string(), components: z.array(z.unknown()) }).optional(),
  quickReplies: z.array(z.looseObject({ payload: z.string(), title: z.string() })).optional(),
  interactive: interactiveSchema.optional(),
})

/** A phone as a snapshot holds it: without its one-time codes, which live in memory alone (OTP-06). */
export const savedPhoneSchema = z.strictObject({
  customer: z.string().regex(RECIPIENT_FORM),
  thread: z.array(itemSchema as unknown as z.ZodType<ThreadItem>),
  sent: z.array(
    z.strictObject({
      number: z.string(),
      message: z.custom<MessageOut>(isMessage, 'must be a message'),
      waiting: z.boolean(),
    }),
  ),
  lastInboundAt: z.record(z.string(), moment),
  handset: handsetSchema,
})

export type SavedPhone = z.infer<typeof savedPhoneSchema>

/** Checks a message and takes it as it is: events must repeat it with its members in the same order. */
function isMessage(value: unknown): boolean {
  const read = messageSchema.safeParse(value)
  return read.success && z.iso.datetime().safeParse(read.data.created_at).success
}

function saveWithoutThread({ customer, handset, lastInboundAt }: Phone) {
  return { customer, lastInboundAt: Object.fromEntries(lastInboundAt), handset }
}

function restorePhone(saved: SavedPhone): Phone {
  const { customer, thread, sent, lastInboundAt, handset } = structuredClone(saved)
  return {
    ...newPhone(customer),
    thread,
    handset,
    sent: new Map(sent.map((one) => [one.message.id, one])),
    lastInboundAt: new Map(Object.entries(lastInboundAt)),
  }
}
