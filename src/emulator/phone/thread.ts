import type { MessageOut, TemplateComponent } from '../../contract/index.ts'
import type { BusinessNumber } from '../events/event.ts'
import type { FlattenedInteractive } from './flattened.ts'

/** What one customer's phone shows, oldest first, and the refused sends beside it. */
export type ThreadItem = {
  readonly id: string
  readonly direction: 'INBOUND' | 'OUTBOUND'
  readonly kind: string
  readonly text: string | null
  readonly content: string | null
  status: string | null
  readonly at: string
  readonly template?: ThreadTemplate
  /** The buttons of a template that answer with a payload. */
  readonly quickReplies?: readonly { readonly payload: string; readonly title: string }[]
  /** Outbound: what the message offers. Inbound: what was tapped. */
  readonly interactive?: FlattenedInteractive | TappedOption
  readonly media?: ThreadMedia
  readonly refused?: { readonly status: number; readonly code: string | null; readonly message: string }
  /** The id of the connected number, where it is not the first one. */
  readonly number?: string
}

export type ThreadTemplate = {
  readonly name: string
  readonly language: string
  readonly body: readonly string[]
  /** As recorded: a one-time code is withheld, and its copy in the button is there. */
  readonly components: readonly TemplateComponent[]
}

/** A one-time code as the handset shows it: in memory alone, and in no snapshot. */
export type ShownCode = {
  readonly messageId: string
  readonly code: string
  /** All that the message says, the code in its place. */
  readonly text: string
  readonly at: string
}

export type TappedOption = { readonly type: 'button_reply' | 'list_reply'; readonly id: string; readonly title: string }

export type ThreadMedia = {
  readonly kind: string
  readonly url: string
  readonly caption?: string
  readonly filename?: string
}

/** A message that the service took: its record, and how it stands on the phone. */
export interface Outbound {
  readonly number: BusinessNumber
  readonly customer: string
  readonly message: MessageOut
  readonly shown: ThreadItem
}

/** One customer: a thread, and when they last wrote. */
export interface Phone {
  readonly customer: string
  readonly thread: ThreadItem[]
  readonly codes: ShownCode[]
  /** By the connected number's id: milliseconds since the epoch, by the emulator's clock. */
  readonly lastInboundAt: Map<string, number>
}

export interface Phones {
  /** The customer's phone; a new one where nobody wrote yet. */
  of(customer: string): Phone
  thread(customer: string): readonly ThreadItem[]
  codes(customer: string): readonly ShownCode[]
  lastInboundAt(customer: string, number: string): number | undefined
}

export function createPhones(): Phones {
  const phones = new Map<string, Phone>()
  return {
    of(customer) {
      const known = phones.get(customer)
      if (known) return known
      const phone: Phone = { customer, thread: [], codes: [], lastInboundAt: new Map() }
      phones.set(customer, phone)
      return phone
    },
    thread: (customer) => phones.get(customer)?.thread ?? [],
    codes: (customer) => phones.get(customer)?.codes ?? [],
    lastInboundAt: (customer, number) => phones.get(customer)?.lastInboundAt.get(number),
  }
}
