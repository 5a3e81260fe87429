import { z } from 'zod'
import type { HttpRequest } from '../http/messages.ts'
import { statusSchema } from '../actors/handset.ts'
import { orderSchema, writingSchema } from '../actors/customer.ts'
import { assumptionsSchema } from '../model/assumptions.ts'
import type { State } from '../state.ts'
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
import { changeAssumptions, showAssumptions, showFidelity } from './fidelity.ts'
import { readControl } from './request.ts'
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

export interface Run {
  (state: State, request: HttpRequest, value: string, world: World): unknown
  /** The form of the body, if the route reads one. */
  readonly schema?: z.ZodType
}

/** A route's function gets what the body says, read by the schema, in place of the request. */
function reads<S extends z.ZodType>(
  schema: S,
  run: (state: State, given: z.output<S>, value: string, world: World) => unknown,
): Run {
  const reading: Run = (state, request, value, world) => run(state, readControl(request, schema), value, world)
  return Object.assign(reading, { schema })
}

/**
 * Every route under the prefix but the stream, which answers without an end, and the list of these. A path's segment that
 * begins with `:` takes any value. Beside each function stands in a sentence what its route is for.
 */
export const ROUTES: Readonly<Record<string, readonly [run: Run, does: string]>> = {
  'GET customers': [
    listCustomers,
    'Everybody who has a phone here, and until when each number may write freely to them.',
  ],
  'POST customers/:digits/messages': [
    reads(writingSchema, writeMessage),
    'The customer writes, taps an option or sends media.',
  ],
  'GET customers/:digits/thread': [
    ({ phones }, _, digits) => ({ items: phones.thread(recipient(digits)) }),
    'All that the phone shows, with sends that were refused beside it.',
  ],
  'GET customers/:digits/codes': [
    ({ phones }, _, digits) => ({ items: phones.codes(recipient(digits)) }),
    'The one-time codes that the handset shows; they are nowhere else.',
  ],
  'POST customers/:digits/statuses': [
    reads(statusSchema, moveStatus),
    'Messages are read or played by the customer, or delivered or failed by hand.',
  ],
  'GET customers/:digits/handset': [
    ({ phones }, _, digits) => phones.handset(recipient(digits)),
    'How the handset stands.',
  ],
  'PUT customers/:digits/handset': [
    reads(handsetChangeSchema, setHandset),
    'Switches the handset; what waited for it is delivered when it is online again.',
  ],
  'POST customers/:digits/replies': [
    reads(replySchema, replyFromDashboard),
    'A person answers in the dashboard, which pauses the agent as a send does.',
  ],
  'POST customers/:digits/escalate': [
    reads(escalationSchema, escalateByHand),
    'The conversation is handed to a person.',
  ],
  'POST customers/:digits/orders': [reads(orderSchema, payOrder), 'The customer pays an order.'],
  'GET agent': [showAgent, "The service's AI agent, and the customers for whom it is silent."],
  'PUT agent': [reads(agentChangeSchema, changeAgent), 'Changes the settings of the agent that are given.'],
  'GET events': [listEvents, "The dashboard's log: the events of the last 30 days, oldest first."],
  'POST events': [reads(firingSchema, fireEvent), 'Fires an event by hand; nothing else changes.'],
  'GET events/examples': [listExamples, 'An example of each event that the service names; nothing is delivered.'],
  'GET credentials': [
    showCredentials,
    "The first number's id and access token, and the first subscription's signing secret.",
  ],
  'POST reset': [
    (_, __, ___, world) => world.reset(),
    'Starts over: no customers, templates, keys, deliveries or faults; only the first subscription.',
  ],
  'GET clock': [showClock, "The service's time, and how far it is from this machine's."],
  'POST clock': [reads(clockSchema, changeClock), 'Moves the clock; what becomes due happens at once.'],
  'GET timeline': [
    (_, __, ___, world) => ({ items: world.timeline.list() }),
    'All that happened, oldest first: the latest 20,000 entries.',
  ],
  'GET calls/:id': [
    showCall,
    'One call of the API as it went over the wire, its token masked; the latest 5,000 are kept.',
  ],
  'GET deliveries': [listDeliveries, 'The deliveries of events, each with its attempts.'],
  'GET deliveries/:id': [showDelivery, 'One delivery, with what each attempt signed and what it should have signed.'],
  'POST deliveries/:id/redeliver': [
    reads(redeliverySchema, redeliver),
    'Makes one more attempt, and answers when it has ended.',
  ],
  'GET subscriptions': [listSubscriptions, 'The registered endpoints, without their secrets.'],
  'POST subscriptions': [
    reads(registrationSchema, register),
    'Registers an endpoint, or reactivates it under a new secret; this answer alone shows the secret.',
  ],
  'DELETE subscriptions': [reads(nameSchema, unsubscribe), 'Removes an endpoint by its id or its address.'],
  'DELETE subscriptions/:id': [reads(z.strictObject({}), unsubscribe), 'Removes an endpoint.'],
  'GET templates': [listAllTemplates, 'The templates of all numbers, newest first.'],
  'POST templates': [reads(newTemplateSchema, createTemplate), 'Makes a template, as the dashboard does.'],
  'PATCH templates': [
    reads(templateChangeSchema, changeTemplate),
    "Changes a template's review state, quality score or synchronisation, by its id, or by name and language.",
  ],
  'PATCH templates/:id': [
    reads(templateChangeSchema, changeTemplate),
    "Changes a template's review state, quality score or synchronisation.",
  ],
  'GET faults': [showFaults, 'The armed faults, and the recipients to whom the same always happens.'],
  'PUT faults': [
    reads(faultRulesSchema, changeFaults),
    'Arms these faults in place of all others; an empty list disarms.',
  ],
  'GET keys': [({ keys }) => ({ items: keys.list() }), 'The idempotency keys that the service remembers.'],
  'POST keys/release': [
    reads(keySchema, ({ keys }, { key }) => ({ released: keys.release(key) })),
    'Settles the keys that a fault holds in flight: one key, or all.',
  ],
  'POST keys/forget': [
    reads(keySchema, ({ keys }, { key }) => ({ forgotten: keys.forget(key) })),
    'Forgets settled keys: one key, or all.',
  ],
  'GET account': [showAccount, 'Plan, suspension and connected numbers, their tokens masked.'],
  'PUT account': [reads(accountSchema, changeAccount), 'Changes the account; the answer shows the tokens.'],
  'POST explain': [
    reads(questionSchema, explainSend),
    'Tells what would become of a send, check by check; nothing is sent.',
  ],
  'GET fidelity': [showFidelity, 'Every behaviour of the emulator with its label, and with its switch if it has one.'],
  'GET assumptions': [showAssumptions, 'What is assumed where the specification is silent.'],
  'PUT assumptions': [reads(assumptionsSchema, changeAssumptions), 'Switches the assumptions that are given.'],
}
