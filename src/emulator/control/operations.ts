import { z } from 'zod'
import { orderSchema, writingSchema } from '../actors/customer.ts'
import { statusSchema } from '../actors/handset.ts'
import { assumptionsSchema } from '../model/assumptions.ts'
import type { World } from '../world.ts'
import { accountSchema, changeAccount, showAccount, showCredentials } from './account.ts'
import { changeClock, clockSchema, showClock } from './clock.ts'
import {
  handsetChangeSchema,
  listCustomers,
  moveStatus,
  payOrder,
  recipient,
  setHandset,
  writeMessage,
} from './customers.ts'
import {
  agentChangeSchema,
  changeAgent,
  escalateByHand,
  escalationSchema,
  replyFromDashboard,
  replySchema,
  showAgent,
} from './dashboard.ts'
import { listDeliveries, redeliver, redeliverySchema, showDelivery } from './deliveries.ts'
import { fireEvent, firingSchema, listEvents, listExamples } from './events.ts'
import {
  changeFaults,
  explainSend,
  faultRulesSchema,
  keySchema,
  questionSchema,
  showCall,
  showFaults,
} from './sends.ts'
import { listSubscriptions, nameSchema, register, registrationSchema, unsubscribe } from './subscriptions.ts'
import {
  changeTemplate,
  createTemplate,
  listAllTemplates,
  newTemplateSchema,
  templateChangeSchema,
} from './templates.ts'

/** One operation of the control API: a route over HTTP, and a call in the same process. */
export interface Operation<In extends z.ZodType = z.ZodType, Out = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the prefix. A segment that begins with `:` takes any value. */
  readonly path: string
  readonly does: string
  /** The form of the body. */
  readonly schema: In
  /** `value` is that of the path's variable segment; empty if it has none. */
  run(world: World, given: z.output<In>, value: string, query: URLSearchParams): Out
}

type Run<Given, Out> = (world: World, given: Given, value: string, query: URLSearchParams) => Out

const NO_BODY = z.strictObject({})

/** An operation that changes nothing and reads no body. */
function get<Out>(path: string, does: string, run: Run<unknown, Out>) {
  return { method: 'GET' as const, path, does, schema: NO_BODY, run }
}

function change<In extends z.ZodType, Out>(
  method: Operation['method'],
  path: string,
  does: string,
  schema: In,
  run: Run<z.output<In>, Out>,
): Operation<In, Out> {
  return { method, path, does, schema, run }
}

/** Every operation but the stream, which never ends, and the lists of the operations themselves. */
export const OPERATIONS = {
  listCustomers: get(
    'customers',
    'Everybody who has a phone here, and until when each number may write freely to them.',
    ({ state }) => listCustomers(state),
  ),
  writeMessage: change(
    'POST',
    'customers/:digits/messages',
    'The customer writes, taps an option or sends media.',
    writingSchema,
    (world, writing, digits) => writeMessage(world, writing, digits),
  ),
  showThread: get(
    'customers/:digits/thread',
    'All that the phone shows, with sends that were refused beside it.',
    ({ state }, _, digits) => ({ items: state.phones.thread(recipient(digits)) }),
  ),
  showCodes: get(
    'customers/:digits/codes',
    'The one-time codes that the handset shows; they are nowhere else.',
    ({ state }, _, digits) => ({ items: state.phones.codes(recipient(digits)) }),
  ),
  moveStatus: change(
    'POST',
    'customers/:digits/statuses',
    'Messages are read or played by the customer, or delivered or failed by hand.',
    statusSchema,
    ({ state }, wanted, digits) => moveStatus(state, wanted, digits),
  ),
  showHandset: get('customers/:digits/handset', 'The settings of the handset.', ({ state }, _, digits) =>
    state.phones.handset(recipient(digits)),
  ),
  setHandset: change(
    'PUT',
    'customers/:digits/handset',
    'Switches the handset; what waited for it is delivered when it is online again.',
    handsetChangeSchema,
    ({ state }, given, digits) => setHandset(state, given, digits),
  ),
  replyFromDashboard: change(
    'POST',
    'customers/:digits/replies',
    'A person answers in the dashboard, which pauses the agent as a send does.',
    replySchema,
    ({ state }, reply, digits) => replyFromDashboard(state, reply, digits),
  ),
  escalate: change(
    'POST',
    'customers/:digits/escalate',
    'The conversation is handed to a person.',
    escalationSchema,
    ({ state }, escalation, digits) => escalateByHand(state, escalation, digits),
  ),
  payOrder: change(
    'POST',
    'customers/:digits/orders',
    'The customer pays an order.',
    orderSchema,
    ({ state }, order, digits) => payOrder(state, order, digits),
  ),
  showAgent: get('agent', "The service's AI agent, and the customers for whom it is silent.", ({ state }) =>
    showAgent(state),
  ),
  changeAgent: change(
    'PUT',
    'agent',
    'Changes the settings of the agent that are given.',
    agentChangeSchema,
    ({ state }, given) => changeAgent(state, given),
  ),
  listEvents: get('events', "The dashboard's log: the events of the last 30 days, oldest first.", ({ state }) =>
    listEvents(state),
  ),
  fireEvent: change(
    'POST',
    'events',
    'Fires an event by hand; nothing else changes.',
    firingSchema,
    ({ state }, firing) => fireEvent(state, firing),
  ),
  listExamples: get(
    'events/examples',
    'An example of each event that the service names; nothing is delivered.',
    ({ state }, _, __, query) => listExamples(state, query),
  ),
  showCredentials: get(
    'credentials',
    "The first number's id and access token, and the first subscription's signing secret.",
    ({ state }) => showCredentials(state),
  ),
  reset: change(
    'POST',
    'reset',
    'Starts over: no customers, templates, keys, deliveries or faults; only the first subscription.',
    NO_BODY,
    (world) => world.reset(),
  ),
  showClock: get('clock', "The service's time, and how far it is from this machine's.", ({ state }) =>
    showClock(state),
  ),
  changeClock: change(
    'POST',
    'clock',
    'Moves the clock; what becomes due happens at once.',
    clockSchema,
    ({ state }, given) => changeClock(state, given),
  ),
  showTimeline: get('timeline', 'All that happened, oldest first: the latest 20,000 entries.', ({ timeline }) => ({
    items: timeline.list(),
  })),
  showCall: get(
    'calls/:id',
    'One call of the API as it went over the wire, its token masked; the latest 5,000 are kept.',
    ({ state }, _, id) => showCall(state, id),
  ),
  listDeliveries: get('deliveries', 'The deliveries of events, each with its attempts.', ({ state }) =>
    listDeliveries(state),
  ),
  showDelivery: get(
    'deliveries/:id',
    'One delivery, with what each attempt signed and what it should have signed.',
    ({ state }, _, id) => showDelivery(state, id),
  ),
  redeliver: change(
    'POST',
    'deliveries/:id/redeliver',
    'Makes one more attempt, and answers when it has ended.',
    redeliverySchema,
    ({ state }, how, id) => redeliver(state, how, id),
  ),
  listSubscriptions: get('subscriptions', 'The registered endpoints, without their secrets.', ({ state }) =>
    listSubscriptions(state),
  ),
  register: change(
    'POST',
    'subscriptions',
    'Registers an endpoint, or reactivates it under a new secret; this answer alone shows the secret.',
    registrationSchema,
    ({ state }, registration) => register(state, registration),
  ),
  unsubscribeNamed: change(
    'DELETE',
    'subscriptions',
    'Removes an endpoint by its id or its address.',
    nameSchema,
    ({ state }, named) => unsubscribe(state, named),
  ),
  unsubscribe: change('DELETE', 'subscriptions/:id', 'Removes an endpoint.', NO_BODY, ({ state }, _, id) =>
    unsubscribe(state, { id }),
  ),
  listTemplates: get('templates', 'The templates of all numbers, newest first.', ({ state }) =>
    listAllTemplates(state),
  ),
  createTemplate: change(
    'POST',
    'templates',
    'Makes a template, as the dashboard does.',
    newTemplateSchema,
    ({ state }, wanted) => createTemplate(state, wanted),
  ),
  changeNamedTemplate: change(
    'PATCH',
    'templates',
    "Changes a template's review state, quality score or synchronisation, by its id, or by name and language.",
    templateChangeSchema,
    ({ state }, given) => changeTemplate(state, given),
  ),
  changeTemplate: change(
    'PATCH',
    'templates/:id',
    "Changes a template's review state, quality score or synchronisation.",
    templateChangeSchema,
    ({ state }, given, id) => changeTemplate(state, { ...given, id }),
  ),
  showFaults: get('faults', 'The armed faults, and the recipients to whom the same always happens.', ({ state }) =>
    showFaults(state),
  ),
  changeFaults: change(
    'PUT',
    'faults',
    'Arms these faults in place of all others; an empty list disarms.',
    faultRulesSchema,
    ({ state }, rules) => changeFaults(state, rules),
  ),
  listKeys: get('keys', 'The idempotency keys that the service remembers.', ({ state }) => ({
    items: state.keys.list(),
  })),
  releaseKeys: change(
    'POST',
    'keys/release',
    'Settles the keys that a fault holds in flight: one key, or all.',
    keySchema,
    ({ state }, { key }) => ({ released: state.keys.release(key) }),
  ),
  forgetKeys: change(
    'POST',
    'keys/forget',
    'Forgets settled keys: one key, or all.',
    keySchema,
    ({ state }, { key }) => ({ forgotten: state.keys.forget(key) }),
  ),
  showAccount: get('account', 'Plan, suspension and connected numbers, their tokens masked.', ({ state }) =>
    showAccount(state),
  ),
  changeAccount: change(
    'PUT',
    'account',
    'Changes the account; the answer shows the tokens.',
    accountSchema,
    ({ state }, given) => changeAccount(state, given),
  ),
  explain: change(
    'POST',
    'explain',
    'Tells what would become of a send, check by check; nothing is sent.',
    questionSchema,
    ({ state }, question) => explainSend(state, question),
  ),
  showAssumptions: get('assumptions', 'What is assumed where the specification is silent.', ({ state }) =>
    structuredClone(state.assumptions),
  ),
  changeAssumptions: change(
    'PUT',
    'assumptions',
    'Switches the assumptions that are given.',
    assumptionsSchema,
    ({ state }, given) => structuredClone(Object.assign(state.assumptions, given)),
  ),
}
