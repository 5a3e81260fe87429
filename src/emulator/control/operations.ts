import { z } from 'zod'
import { orderSchema, statusSchema, writingSchema } from '../actors/customer.ts'
import { assumptionsSchema } from '../model/assumptions.ts'
import type { State, World } from '../world.ts'
import { accountSchema, changeAccount, showAccount, showCredentials } from './account.ts'
import { changeClock, clockSchema, showClock } from './clock.ts'
import {
  agentChangeSchema,
  changeAgent,
  escalateByHand,
  escalationSchema,
  fileSchema,
  handsetChangeSchema,
  keepFile,
  listCustomers,
  moveStatus,
  payOrder,
  recipient,
  replyFromDashboard,
  replySchema,
  setHandset,
  showAgent,
  writeMessage,
} from './customers.ts'
import {
  fireEvent,
  firingSchema,
  listDeliveries,
  listEvents,
  listSubscriptions,
  redeliver,
  redeliverySchema,
  register,
  registrationSchema,
  showDelivery,
  unsubscribe,
} from './deliveries.ts'
import {
  changeFaults,
  explainSend,
  faultRulesSchema,
  keySchema,
  questionSchema,
  showCall,
  showFaults,
} from './sends.ts'
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

const factsSchema = z.record(z.string(), z.record(z.string(), z.union([z.string(), z.array(z.string()).nonempty()])))

const NO_BODY = z.strictObject({})

/** An operation that changes nothing and reads no body. */
function get<Out>(
  path: string,
  does: string,
  run: (state: State, value: string, query: URLSearchParams) => Out,
): Operation<typeof NO_BODY, Out> {
  return { method: 'GET', path, does, schema: NO_BODY, run: ({ state }, _, value, query) => run(state, value, query) }
}

function change<In extends z.ZodType, Out>(
  method: Operation['method'],
  path: string,
  does: string,
  schema: In,
  run: (state: State, given: z.output<In>, value: string) => Out,
): Operation<In, Out> {
  return { method, path, does, schema, run: ({ state }, given, value) => run(state, given, value) }
}

/** Every operation but the stream, which never ends, and the lists of the operations themselves. */
export const OPERATIONS = {
  listCustomers: get(
    'customers',
    'Everybody who has a phone here, and until when each number may write freely to them.',
    listCustomers,
  ),
  writeMessage: {
    method: 'POST' as const,
    path: 'customers/:digits/messages',
    does: 'The customer writes, taps an option or sends media.',
    schema: writingSchema,
    run: writeMessage,
  },
  keepFile: {
    method: 'POST' as const,
    path: 'media',
    does: 'Keeps a file of up to 5 MB in memory and serves it; the answer is the media of a message.',
    schema: fileSchema,
    run: keepFile,
  },
  showThread: get(
    'customers/:digits/thread',
    'All that the phone shows, with sends that were refused beside it.',
    (state, digits) => ({ items: state.phones.thread(recipient(digits)) }),
  ),
  showCodes: get(
    'customers/:digits/codes',
    'The one-time codes that the handset shows; they are nowhere else.',
    (state, digits) => ({ items: state.phones.codes(recipient(digits)) }),
  ),
  moveStatus: change(
    'POST',
    'customers/:digits/statuses',
    'Messages are read or played by the customer, or delivered or failed manually.',
    statusSchema,
    moveStatus,
  ),
  showHandset: get('customers/:digits/handset', 'The settings of the handset.', (state, digits) =>
    state.phones.handset(recipient(digits)),
  ),
  setHandset: change(
    'PUT',
    'customers/:digits/handset',
    'Switches the handset; what waited for it is delivered when it is online again.',
    handsetChangeSchema,
    setHandset,
  ),
  replyFromDashboard: change(
    'POST',
    'customers/:digits/replies',
    'A person answers in the dashboard, which pauses the agent as a send does.',
    replySchema,
    replyFromDashboard,
  ),
  escalate: change(
    'POST',
    'customers/:digits/escalate',
    'The conversation is handed to a person.',
    escalationSchema,
    escalateByHand,
  ),
  payOrder: change('POST', 'customers/:digits/orders', 'The customer pays an order.', orderSchema, payOrder),
  showAgent: get('agent', "The service's AI agent, and the customers for whom it is silent.", showAgent),
  changeAgent: change(
    'PUT',
    'agent',
    'Changes the settings of the agent that are given.',
    agentChangeSchema,
    changeAgent,
  ),
  listEvents: get('events', "The dashboard's log: the events of the last 30 days, oldest first.", listEvents),
  fireEvent: change('POST', 'events', 'Fires an event manually; nothing else changes.', firingSchema, fireEvent),
  showCredentials: get(
    'credentials',
    "The first number's id and access token, and the first subscription's signing secret.",
    showCredentials,
  ),
  reset: {
    method: 'POST' as const,
    path: 'reset',
    does: 'Starts over: no customers, templates, keys, deliveries or faults; only the first subscription.',
    schema: NO_BODY,
    run: (world: World) => world.reset(),
  },
  showClock: get('clock', "The service's time, and how far it is from this machine's.", showClock),
  changeClock: change('POST', 'clock', 'Moves the clock; what becomes due happens at once.', clockSchema, changeClock),
  showTimeline: {
    method: 'GET' as const,
    path: 'timeline',
    does: 'All that happened, oldest first: the latest 20,000 entries.',
    schema: NO_BODY,
    run: ({ timeline }: World) => ({ items: timeline.list() }),
  },
  showCall: get(
    'calls/:id',
    'One call of the API as it went over the wire, its token masked; the latest 5,000 are kept.',
    showCall,
  ),
  listDeliveries: get('deliveries', 'The deliveries of events, each with its attempts.', listDeliveries),
  showDelivery: get(
    'deliveries/:id',
    'One delivery, with what each attempt signed and what it should have signed.',
    showDelivery,
  ),
  redeliver: change(
    'POST',
    'deliveries/:id/redeliver',
    'Makes one more attempt, and answers when it has ended.',
    redeliverySchema,
    redeliver,
  ),
  listSubscriptions: get('subscriptions', 'The registered endpoints, without their secrets.', listSubscriptions),
  register: change(
    'POST',
    'subscriptions',
    'Registers an endpoint, or reactivates it under a new secret; this answer alone shows the secret.',
    registrationSchema,
    register,
  ),
  unsubscribe: change('DELETE', 'subscriptions/:id', 'Removes an endpoint.', NO_BODY, (state, _, id) =>
    unsubscribe(state, id),
  ),
  listTemplates: get('templates', 'The templates of all numbers, newest first.', listAllTemplates),
  createTemplate: change(
    'POST',
    'templates',
    'Makes a template, as the dashboard does.',
    newTemplateSchema,
    createTemplate,
  ),
  changeTemplate: change(
    'PATCH',
    'templates/:id',
    "Changes a template's review state, quality score or synchronisation.",
    templateChangeSchema,
    changeTemplate,
  ),
  showFaults: get('faults', 'The armed faults, and the recipients to whom the same always happens.', showFaults),
  changeFaults: change(
    'PUT',
    'faults',
    'Arms these faults in place of all others; an empty list disarms.',
    faultRulesSchema,
    changeFaults,
  ),
  listKeys: get('keys', 'The idempotency keys that the service remembers.', (state) => ({
    items: state.keys.list(),
  })),
  releaseKeys: change(
    'POST',
    'keys/release',
    'Settles the keys that a fault holds in flight: one key, or all.',
    keySchema,
    (state, { key }) => ({ released: state.keys.release(key) }),
  ),
  forgetKeys: change('POST', 'keys/forget', 'Forgets settled keys: one key, or all.', keySchema, (state, { key }) => ({
    forgotten: state.keys.forget(key),
  })),
  showAccount: get('account', 'Plan, suspension and connected numbers, their tokens masked.', showAccount),
  changeAccount: change(
    'PUT',
    'account',
    'Changes the account; the answer shows the tokens.',
    accountSchema,
    changeAccount,
  ),
  explain: change(
    'POST',
    'explain',
    'Tells what would become of a send, check by check; nothing is sent.',
    questionSchema,
    explainSend,
  ),
  showAssumptions: get('assumptions', 'What is assumed where the specification is silent.', (state) =>
    structuredClone(state.assumptions),
  ),
  changeAssumptions: change(
    'PUT',
    'assumptions',
    'Switches the assumptions that are given.',
    assumptionsSchema,
    (state, given) => structuredClone(Object.assign(state.assumptions, given)),
  ),
  mapFacts: change(
    'PUT',
    'facts',
    'Tells at which paths the app reads facts, by event: made-up payloads hold them there too. A bot calls it at its start.',
    factsSchema,
    (state, facts) => {
      state.payloads.map(facts)
      return facts
    },
  ),
}
