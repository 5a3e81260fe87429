import { z } from 'zod'
import { type MessageOut, messageSchema } from '../../contract/index.ts'
import { RECIPIENT_FORM } from '../../contract/limits.ts'
import { moment } from './clock.ts'
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
  handset(customer: string): Handset
  lastInboundAt(customer: string, number: string): number | undefined
  /** Adds something to a thread. */
  show(customer: string, item: ThreadItem): void
  /** To be called after each change of a phone, and of something in its thread that shows no change. */
  changed(customer: string, item?: ThreadItem): void
  /** To be called after each change that something in a thread shows. */
  showAnew(customer: string, item: ThreadItem): void
  save(): readonly SavedPhone[]
  /** A phone without its thread. To be written at once, as what follows: it shares what it holds with the phone. */
  saveOne(customer: string): Omit<SavedPhone, 'thread' | 'sent'> | undefined
  /** Of all that stands in the threads, as `changed` is told them; they sort as it stands there. */
  itemIds(): readonly string[]
  saveItem(id: string): SavedItem | undefined
}

/** Something in a thread, with its way to the handset where it was sent. */
export interface SavedItem {
  readonly customer: string
  readonly item: ThreadItem
  readonly sent?: SentMessage
}

export interface PhonesParts {
  /** Is told whose phone is new or changed, and the id of what did in its thread. */
  readonly changed: (customer: string, itemId?: string) => void
  /** Is told what is new in a thread, or shows a change. */
  readonly tell: (customer: string, item: ThreadItem) => void
}

export function createPhones(parts: PhonesParts, saved: readonly SavedPhone[] = []): Phones {
  const phones = new Map(saved.map((one) => [one.customer, wasSaved(one)]))
  const of = (customer: string): Phone => {
    const known = phones.get(customer)
    if (known) return known
    const phone = newPhone(customer)
    phones.set(customer, phone)
    return phone
  }
  const changed = (customer: string, item?: ThreadItem) =>
    parts.changed(customer, item && itemId(customer, of(customer).thread.lastIndexOf(item)))
  const showAnew = (customer: string, item: ThreadItem) => {
    changed(customer, item)
    parts.tell(customer, item)
  }
  return {
    of,
    all: () => [...phones.values()],
    thread: (customer) => phones.get(customer)?.thread ?? [],
    codes: (customer) => phones.get(customer)?.codes ?? [],
    handset: (customer) => ({ ...(phones.get(customer)?.handset ?? USUAL_HANDSET) }),
    lastInboundAt: (customer, number) => phones.get(customer)?.lastInboundAt.get(number),
    show(customer, item) {
      of(customer).thread.push(item)
      showAnew(customer, item)
    },
    changed,
    showAnew,
    save: () => structuredClone([...phones.values()].map(savedPhone)),
    saveOne(customer) {
      const phone = phones.get(customer)
      return phone && savedHead(phone)
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

/** Of one that nobody has switched. */
const USUAL_HANDSET: Handset = { online: true, receipts: true, blocked: false }

function newPhone(customer: string): Phone {
  return {
    customer,
    handset: { ...USUAL_HANDSET },
    thread: [],
    sent: new Map(),
    codes: [],
    codesUnderWay: new Map(),
    lastInboundAt: new Map(),
  }
}

function savedHead({ customer, handset, lastInboundAt }: Phone) {
  return { customer, lastInboundAt: Object.fromEntries(lastInboundAt), handset }
}

function savedPhone(phone: Phone): SavedPhone {
  return { ...savedHead(phone), thread: phone.thread, sent: [...phone.sent.values()] }
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

const choice = z.looseObject({ id: z.string(), title: z.string() })

/** As far as the phone itself reads it; all else is only shown. */
const interactiveSchema = z.looseObject({
  type: z.string(),
  buttons: z.array(choice).optional(),
  sections: z.array(z.looseObject({ rows: z.array(choice.extend({ description: z.string().nullable() })) })).optional(),
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

export const handsetSchema = z.strictObject({
  /** Whether messages reach it. Those that come meanwhile are delivered when it is back. */
  online: z.boolean(),
  /** Whether the business is told that its messages were read or played. */
  receipts: z.boolean(),
  /** Whether the customer has blocked the business: then every message fails. */
  blocked: z.boolean(),
})

export type Handset = z.infer<typeof handsetSchema>

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

/** Taken as it is: what was sent must be told in the same words, in the order in which they stood. */
function isMessage(value: unknown): boolean {
  const read = messageSchema.safeParse(value)
  return read.success && z.iso.datetime().safeParse(read.data.created_at).success
}
