import type { z } from 'zod'
import { WINDOW_MS } from '../../contract/index.ts'
import { PHONE_FORM, RECIPIENT_FORM } from '../../contract/limits.ts'
import { type PaidOrder, type Written, orderSchema, payOrder, writeAs, writingSchema } from '../actors/customer.ts'
import { type Moved, changeHandset, moveOn, statusSchema } from '../actors/handset.ts'
import { iso } from '../events/event.ts'
import type { HttpRequest } from '../http/messages.ts'
import { numberByIdOrFirst } from '../model/account.ts'
import { type Handset, type Phone, handsetSchema } from '../model/phones.ts'
import type { ShownCode, ThreadItem } from '../model/thread.ts'
import type { State } from '../state.ts'
import { invalid, readControl } from './request.ts'

/** A number that a send can name. */
export function recipient(text: string): string {
  if (RECIPIENT_FORM.test(text)) return text
  throw invalid(`A customer is named by 6 to 20 digits, got ${JSON.stringify(text)}.`)
}

/** A number that a person can write from: a real one, in full international format. */
export function writer(text: string): string {
  if (PHONE_FORM.test(text)) return text
  throw invalid(
    `A customer writes from a number in full international format, 6 to 15 digits and no leading zero, got ${JSON.stringify(text)}.`,
  )
}

export function customerWrites(state: State, request: HttpRequest, customer: string): Written {
  return writeAs(writer(customer), readControl(request, writingSchema), state)
}

/** The one-time codes that the handset shows, oldest first: nobody else has them. */
export function customerCodes(state: State, _: HttpRequest, customer: string): { items: readonly ShownCode[] } {
  return { items: state.phones.codes(recipient(customer)) }
}

/** Everybody with a phone, and until when they can be written to freely. */
export type CustomerView = {
  readonly customer: string
  readonly items: number
  readonly last: ThreadItem | null
  readonly windows: readonly { readonly number: string; readonly closesAt: string }[]
  readonly handset: Handset
}

export function listCustomers({ phones }: State): { items: readonly CustomerView[] } {
  return { items: phones.all().map(customerView) }
}

function customerView({ customer, thread, lastInboundAt, handset }: Phone): CustomerView {
  const windows = [...lastInboundAt].map(([number, at]) => ({ number, closesAt: iso(at + WINDOW_MS) }))
  return { customer, items: thread.length, last: thread.at(-1) ?? null, windows, handset }
}

export function customerThread(state: State, _: HttpRequest, customer: string): { items: readonly ThreadItem[] } {
  return { items: state.phones.thread(recipient(customer)) }
}

/** The customer pays an order. */
export function customerPays(state: State, request: HttpRequest, customer: string): PaidOrder {
  const order = readControl(request, orderSchema)
  return payOrder(state, numberByIdOrFirst(state.account, order.number), recipient(customer), order)
}

export const handsetChangeSchema = handsetSchema.partial()

/** The customer reads or plays; or a message is delivered or fails by hand. */
export function changeStatus(state: State, request: HttpRequest, customer: string): Moved {
  return moveOn(state, state.phones.of(recipient(customer)), readControl(request, statusSchema))
}

export function showHandset(state: State, _: HttpRequest, customer: string): Handset {
  return state.phones.handset(recipient(customer))
}

export function setHandset(state: State, request: HttpRequest, customer: string): Handset {
  return switchHandset(state, recipient(customer), readControl(request, handsetChangeSchema))
}

export function switchHandset(state: State, customer: string, change: z.output<typeof handsetChangeSchema>): Handset {
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  return changeHandset(state, state.phones.of(customer), Object.fromEntries(given))
}
