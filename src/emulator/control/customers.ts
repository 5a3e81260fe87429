import { z } from 'zod'
import { PHONE_FORM, RECIPIENT_FORM } from '../../contract/endpoints.ts'
import { LIMITS, WINDOW_MS } from '../../contract/index.ts'
import {
  type Moved,
  type PaidOrder,
  type PlacedWriting,
  type Writing,
  type Written,
  customerPays,
  customerWrites,
  moveMessages,
  type orderSchema,
  type statusSchema,
  switchHandset,
} from '../actors/customer.ts'
import type { MediaFiles, SentFile } from '../media/files.ts'
import { iso } from '../model/clock.ts'
import { type Handset, type Phone, handsetSchema } from '../model/phones.ts'
import type { State, World } from '../world.ts'
import { invalid, numberByIdOrFirst } from './request.ts'
import { escalate, replyAs } from '../actors/agent.ts'
import { LONGEST_FILE_BYTES, refuse } from '../http/messages.ts'
import { type AgentSettings, agentSettingsSchema } from '../model/agent.ts'
import { isWindowOpen } from '../service/approve.ts'

/** Checks a number that a send can name. */
export function recipient(text: string): string {
  if (RECIPIENT_FORM.test(text)) return text
  throw invalid(`A customer is named by 6 to 20 digits, got ${JSON.stringify(text)}.`)
}

/** Checks a number that a person can write from: a real one, in full international format. */
function writer(text: string): string {
  if (PHONE_FORM.test(text)) return text
  throw invalid(
    `A customer writes from a number in full international format, 6 to 15 digits and no leading zero, got ${JSON.stringify(text)}.`,
  )
}

/** A customer with a phone, and until when each number can write freely to them. */
export type CustomerView = ReturnType<typeof customerView>

export function listCustomers({ phones }: State): { items: readonly CustomerView[] } {
  return { items: phones.all().map(customerView) }
}

function customerView({ customer, thread, lastInboundAt, handset }: Phone) {
  const windows = [...lastInboundAt].map(([number, at]) => ({ number, closesAt: iso(at + WINDOW_MS) }))
  return { customer, items: thread.length, last: thread.at(-1) ?? null, windows, handset }
}

export function writeMessage({ state, media }: World, writing: Writing, digits: string): Written {
  const customer = writer(digits)
  return customerWrites(state, numberByIdOrFirst(state.account, writing.number), customer, placed(media, writing))
}

/** Gives media without an address that of the sample, and what else the sample's message says. */
function placed(files: MediaFiles, { media, ...writing }: Writing): PlacedWriting {
  if (media === undefined) return writing
  const { url, ...more } = media
  return { ...writing, media: url === undefined ? { ...files.sample(media.kind), ...more } : { ...more, url } }
}

export const fileSchema = z.strictObject({ name: z.string().min(1).max(255), base64: z.base64() })

/** Keeps a file that a customer is going to send; answers what its message says of it. */
export function keepFile({ media }: World, { name, base64 }: z.output<typeof fileSchema>): SentFile {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > LONGEST_FILE_BYTES)
    throw refuse(413, 'too_large', `A file may have ${LONGEST_FILE_BYTES} bytes; this one has ${bytes.length}.`)
  return media.keep(name, bytes)
}

export function payOrder(state: State, order: z.output<typeof orderSchema>, customer: string): PaidOrder {
  return customerPays(state, numberByIdOrFirst(state.account, order.number), recipient(customer), order)
}

/** Moves messages on: the customer reads or plays them, or they are delivered or fail manually. */
export function moveStatus(state: State, wanted: z.output<typeof statusSchema>, customer: string): Moved {
  return moveMessages(state, state.phones.of(recipient(customer)), wanted)
}

export const handsetChangeSchema = handsetSchema.partial()

export function setHandset(state: State, change: z.output<typeof handsetChangeSchema>, customer: string): Handset {
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  return switchHandset(state, state.phones.of(recipient(customer)), Object.fromEntries(given))
}

export const replySchema = z.strictObject({
  text: z.string().min(1).max(LIMITS.text.max),
  number: z.string().optional(),
})

/** A person answers in the dashboard's inbox: that pauses the agent as a send does (GEN-06). */
export function replyFromDashboard(
  state: State,
  { text, number: id }: z.output<typeof replySchema>,
  digits: string,
): { messageId: string } {
  const customer = recipient(digits)
  const number = numberByIdOrFirst(state.account, id)
  if (!isWindowOpen(state.phones.lastInboundAt(customer, number.id), state.clock.now(), state.assumptions))
    throw refuse(409, 'outside_messaging_window', 'The customer has not written within the last 24 hours.')
  const messageId = replyAs('dashboard', state, number, customer, text)
  state.agent.pause(number, customer)
  return { messageId }
}

export const escalationSchema = z.strictObject({ reason: z.string().min(1).optional(), number: z.string().optional() })

export function escalateByHand(
  state: State,
  { reason = 'Somebody in the dashboard took over.', number }: z.output<typeof escalationSchema>,
  digits: string,
): { deliveryIds: string[] } {
  return { deliveryIds: escalate(state, numberByIdOrFirst(state.account, number), recipient(digits), reason) }
}

export type AgentView = AgentSettings & {
  /** The customers for whom the agent is silent now. */
  readonly paused: readonly { readonly number: string; readonly customer: string; readonly until: string }[]
}

export const agentChangeSchema = agentSettingsSchema.partial()

export function showAgent({ agent }: State): AgentView {
  return {
    ...structuredClone(agent.settings),
    paused: agent.pauses().map(({ number, customer, until }) => ({ number, customer, until: iso(until) })),
  }
}

/** Changes the given settings of the agent; the others stay unchanged. */
export function changeAgent(state: State, change: z.output<typeof agentChangeSchema>): AgentView {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  state.agent.settings = { ...state.agent.settings, ...given }
  return showAgent(state)
}
