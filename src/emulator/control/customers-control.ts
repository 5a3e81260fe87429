import { z } from 'zod'
import { LIMITS, PHONE_FORM, RECIPIENT_FORM, WINDOW_MS } from '../../service/endpoints.ts'
import { replyAs } from '../actors/agent.ts'
import { writeAsCustomer, moveMessages, statusSchema, switchHandset, writingSchema } from '../actors/customer.ts'
import { LONGEST_FILE_BYTES, refuse } from '../http/messages.ts'
import { type AgentSettings, agentSettingsSchema } from '../model/agent.ts'
import { iso } from '../model/emulated-clock.ts'
import { type Phone, handsetSchema } from '../model/phones.ts'
import { isWindowOpen } from '../service/approve.ts'
import type { State } from '../world.ts'
import { change, get, given, invalid, numberByIdOrFirst } from './request.ts'

function recipient(text: string): string {
  if (RECIPIENT_FORM.test(text)) return text
  throw invalid(`A customer is 6 to 20 digits, got ${JSON.stringify(text)}.`)
}

function writer(text: string): string {
  if (PHONE_FORM.test(text)) return text
  throw invalid(
    `A customer writes from a number in full international format, 6 to 15 digits and no leading zero, got ${JSON.stringify(text)}.`,
  )
}

export type CustomerView = ReturnType<typeof customerView>

function customerView({ customer, thread, lastInboundAt, handset }: Phone) {
  const windows = [...lastInboundAt].map(([number, at]) => ({ number, closesAt: iso(at + WINDOW_MS) }))
  return { customer, items: thread.length, last: thread.at(-1) ?? null, windows, handset }
}

export type AgentView = AgentSettings & {
  readonly paused: readonly { readonly number: string; readonly customer: string; readonly until: string }[]
}

function showAgent({ agent }: State): AgentView {
  return {
    ...agent.settings,
    paused: agent.pauses().map(({ number, customer, until }) => ({ number, customer, until: iso(until) })),
  }
}

const numberId = z.string().optional()

export const CUSTOMER_OPERATIONS = {
  listCustomers: get(
    'customers',
    'All customers with a phone, and when the window of each number closes.',
    ({ phones }) => ({ items: phones.all().map(customerView) }),
  ),
  writeMessage: change(
    'POST',
    'customers/:digits/messages',
    'The customer writes, taps an option, sends media, a location or contacts, or does what nobody writes, such as a reaction.',
    writingSchema,
    (state, writing, digits) => {
      const customer = writer(digits)
      return writeAsCustomer(state, numberByIdOrFirst(state.account, writing.number), customer, writing)
    },
  ),
  keepFile: change(
    'POST',
    'media',
    'Keeps a file of up to 5 MB in memory and serves it. The answer is the media of a message.',
    z.strictObject({ name: z.string().min(1).max(255), base64: z.base64() }),
    (_, { name, base64 }, __, { media }) => {
      const bytes = Buffer.from(base64, 'base64')
      if (bytes.length > LONGEST_FILE_BYTES)
        throw refuse(413, 'too_large', `A file may have ${LONGEST_FILE_BYTES} bytes; this one has ${bytes.length}.`)
      return media.keep(name, bytes)
    },
  ),
  showThread: get('customers/:digits/thread', 'Everything on the phone, and refused sends.', ({ phones }, digits) => ({
    items: phones.thread(recipient(digits)),
  })),
  showCodes: get(
    'customers/:digits/codes',
    'The one-time codes that the handset shows. They appear nowhere else.',
    ({ phones }, digits) => ({ items: phones.codes(recipient(digits)) }),
  ),
  moveStatus: change(
    'POST',
    'customers/:digits/statuses',
    'Changes statuses: the customer reads or plays messages, or they fail.',
    statusSchema,
    (state, wanted, digits) => moveMessages(state, state.phones.of(recipient(digits)), wanted),
  ),
  setHandset: change(
    'PUT',
    'customers/:digits/handset',
    'Switches the handset. Waiting messages are delivered when it is online again.',
    handsetSchema.partial(),
    (state, wanted, digits) => switchHandset(state, state.phones.of(recipient(digits)), given(wanted)),
  ),
  replyFromDashboard: change(
    'POST',
    'customers/:digits/replies',
    'A person answers in the dashboard, which pauses the agent as a send does.',
    z.strictObject({ text: z.string().min(1).max(LIMITS.text.max), number: numberId }),
    (state, { text, number: id }, digits) => {
      const customer = recipient(digits)
      const from = numberByIdOrFirst(state.account, id)
      if (!isWindowOpen(state.phones.lastInboundAt(customer, from.id), state.clock.now()))
        throw refuse(409, 'outside_messaging_window', 'The customer has not written within the last 24 hours.')
      const messageId = replyAs('dashboard', state, from, customer, text)
      // A message from the dashboard pauses the agent, as a send of the app does (GEN-06).
      state.agent.pause(from, customer)
      return { messageId }
    },
  ),
  showAgent: get('agent', "The service's AI agent, and the customers for whom it is silent.", showAgent),
  changeAgent: change(
    'PUT',
    'agent',
    'Changes the given settings of the agent.',
    agentSettingsSchema.partial(),
    (state, wanted) => {
      state.agent.settings = { ...state.agent.settings, ...given(wanted) }
      return showAgent(state)
    },
  ),
}
