import { z } from 'zod'
import { escalate, pauseAgent } from '../agent/talk.ts'
import { orderSchema, payOrder, type PaidOrder } from '../events/order.ts'
import { type HttpRequest, refuse } from '../http/messages.ts'
import { changeHandset } from '../phone/handset.ts'
import { replyAs } from '../phone/reply.ts'
import { type Handset, handsetSchema } from '../phone/saved.ts'
import { moveOn, type Moved, statusSchema } from '../phone/statuses.ts'
import { numberNamed } from '../service/account.ts'
import { isWindowOpen } from '../service/window.ts'
import type { State } from '../state.ts'
import { recipient } from './customers.ts'
import { readControl } from './request.ts'

export const handsetChangeSchema = handsetSchema.partial()

/** The customer reads or plays; or a message is delivered or fails by hand. */
export function changeStatus(state: State, request: HttpRequest, customer: string): Moved {
  return moveOn(state, state.phones.of(recipient(customer)), readControl(request, statusSchema))
}

export function showHandset(state: State, _: HttpRequest, customer: string): Handset {
  return { ...state.phones.of(recipient(customer)).handset }
}

export function setHandset(state: State, request: HttpRequest, customer: string): Handset {
  return switchHandset(state, recipient(customer), readControl(request, handsetChangeSchema))
}

export function switchHandset(state: State, customer: string, change: z.output<typeof handsetChangeSchema>): Handset {
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  return changeHandset(state, state.phones.of(customer), Object.fromEntries(given))
}

const replySchema = z.strictObject({ text: z.string().min(1).max(4096), number: z.string().optional() })

/** A person answers in the dashboard's inbox: it pauses the agent as a send does (GEN-06). */
export function replyFromDashboard(state: State, request: HttpRequest, digits: string): { messageId: string } {
  const customer = recipient(digits)
  const { text, number: id } = readControl(request, replySchema)
  const number = numberNamed(state.account, id)
  if (!isWindowOpen(state.phones.lastInboundAt(customer, number.id), state.clock.now(), state.assumptions))
    throw refuse(409, 'outside_messaging_window', 'The customer has not written within the last 24 hours.')
  const messageId = replyAs('dashboard', state, number, customer, text)
  pauseAgent(state, number, customer)
  return { messageId }
}

const escalationSchema = z.strictObject({ reason: z.string().min(1).optional(), number: z.string().optional() })

/** The conversation is handed to a person. */
export function escalateByHand(state: State, request: HttpRequest, digits: string): { deliveryIds: string[] } {
  const customer = recipient(digits)
  const { reason = 'Somebody in the dashboard took over.', number } = readControl(request, escalationSchema)
  return { deliveryIds: escalate(state, numberNamed(state.account, number), customer, reason) }
}

/** The customer pays an order. */
export function customerPays(state: State, request: HttpRequest, digits: string): PaidOrder {
  const customer = recipient(digits)
  const order = readControl(request, orderSchema)
  return payOrder(state, numberNamed(state.account, order.number), customer, order)
}
