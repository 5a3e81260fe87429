import type { MessageOut } from '../../contract/index.ts'
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
  readonly template?: { readonly name: string; readonly language: string; readonly body: readonly string[] }
  /** The buttons of a template that answer with a payload. */
  readonly quickReplies?: readonly { readonly payload: string; readonly title: string }[]
  /** Outbound: what the message offers. Inbound: what was tapped. */
  readonly interactive?: FlattenedInteractive | TappedOption
  readonly media?: ThreadMedia
  readonly refused?: { readonly status: number; readonly code: string | null; readonly message: string }
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
  readonly customer: string
  readonly message: MessageOut
  readonly shown: ThreadItem
}

/** One customer: a thread, and when they last wrote. */
export interface Phone {
  readonly customer: string
  readonly thread: ThreadItem[]
  /** Milliseconds since the epoch, by the emulator's clock. */
  lastInboundAt: number | undefined
}

export interface Phones {
  /** The customer's phone; a new one where nobody wrote yet. */
  of(customer: string): Phone
  thread(customer: string): readonly ThreadItem[]
}

export function createPhones(): Phones {
  const phones = new Map<string, Phone>()
  return {
    of(customer) {
      const known = phones.get(customer)
      if (known) return known
      const phone: Phone = { customer, thread: [], lastInboundAt: undefined }
      phones.set(customer, phone)
      return phone
    },
    thread: (customer) => phones.get(customer)?.thread ?? [],
  }
}
