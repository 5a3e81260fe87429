import { z } from 'zod'
import { LIMITS } from '../../contract/index.ts'
import { escalate, pauseAgent } from '../agent/talk.ts'
import { type HttpRequest, refuse } from '../http/messages.ts'
import { replyAs } from '../phone/reply.ts'
import { numberByIdOrFirst } from '../service/account.ts'
import { isWindowOpen } from '../service/window.ts'
import type { State } from '../state.ts'
import { recipient } from './customers.ts'
import { readControl } from './request.ts'

const replySchema = z.strictObject({ text: z.string().min(1).max(LIMITS.text.max), number: z.string().optional() })

/** A person answers in the dashboard's inbox: it pauses the agent as a send does (GEN-06). */
export function replyFromDashboard(state: State, request: HttpRequest, digits: string): { messageId: string } {
  const customer = recipient(digits)
  const { text, number: id } = readControl(request, replySchema)
  const number = numberByIdOrFirst(state.account, id)
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
  return { deliveryIds: escalate(state, numberByIdOrFirst(state.account, number), customer, reason) }
}
