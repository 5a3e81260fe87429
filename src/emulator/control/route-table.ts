import type { HttpRequest } from '../http/messages.ts'
import { snapshotSchema } from '../snapshot.ts'
import { snapshotOf, type State } from '../state.ts'
import type { World } from '../world.ts'
import { changeAccount, showAccount } from './account.ts'
import { changeClock, type ClockView, showClock } from './clock.ts'
import {
  listCustomers,
  moveStatus,
  payOrder,
  setHandset,
  showCodes,
  showHandset,
  showThread,
  writeMessage,
} from './customers.ts'
import { changeAgent, escalateByHand, replyFromDashboard, showAgent } from './dashboard.ts'
import { listDeliveries, redeliver, showDelivery } from './deliveries.ts'
import { fireEvent, listEvents, listExamples } from './events.ts'
import { changeAssumptions, showAssumptions, showFidelity } from './fidelity.ts'
import { readControl } from './request.ts'
import { changeFaults, explainSend, forgetKeys, listKeys, releaseKeys, showCall, showFaults } from './sends.ts'
import { listSubscriptions, register, unsubscribe } from './subscriptions.ts'
import { changeTemplate, createTemplate, listAllTemplates } from './templates.ts'

type Run = (state: State, request: HttpRequest, value: string, world: World) => unknown

/** A path's segment that begins with `:` takes any value; `does` says in a sentence what the route is for. */
export type Route = readonly [method: string, path: string, run: Run, does: string]

/** Every route under the prefix but the stream, which answers without an end, and the list of these. */
export const ROUTES: readonly Route[] = [
  [
    'GET',
    'customers',
    listCustomers,
    'Everybody who has a phone here, and until when each number may write freely to them.',
  ],
  ['POST', 'customers/:digits/messages', writeMessage, 'The customer writes, taps an option or sends media.'],
  ['GET', 'customers/:digits/thread', showThread, 'All that the phone shows, with sends that were refused beside it.'],
  ['GET', 'customers/:digits/codes', showCodes, 'The one-time codes that the handset shows; they are nowhere else.'],
  [
    'POST',
    'customers/:digits/statuses',
    moveStatus,
    'Messages are read or played by the customer, or delivered or failed by hand.',
  ],
  ['GET', 'customers/:digits/handset', showHandset, 'How the handset stands.'],
  [
    'PUT',
    'customers/:digits/handset',
    setHandset,
    'Switches the handset; what waited for it is delivered when it is online again.',
  ],
  [
    'POST',
    'customers/:digits/replies',
    replyFromDashboard,
    'A person answers in the dashboard, which pauses the agent as a send does.',
  ],
  ['POST', 'customers/:digits/escalate', escalateByHand, 'The conversation is handed to a person.'],
  ['POST', 'customers/:digits/orders', payOrder, 'The customer pays an order.'],
  ['GET', 'agent', showAgent, "The service's AI agent, and the customers for whom it is silent."],
  ['PUT', 'agent', changeAgent, 'Changes the settings of the agent that are given.'],
  ['GET', 'events', listEvents, "The dashboard's log: the events of the last 30 days, oldest first."],
  ['POST', 'events', fireEvent, 'Fires an event by hand; nothing else changes.'],
  ['GET', 'events/examples', listExamples, 'An example of each event that the service names; nothing is delivered.'],
  ['GET', 'state', snapshotOf, 'All that the emulator knows, tokens and signing secrets included.'],
  [
    'PUT',
    'state',
    (_, request, __, world) => restoreState(world, request),
    'Goes on from a state that was read before.',
  ],
  [
    'DELETE',
    'state',
    (_, __, ___, world) => showClock(world.renew()),
    'Back to the beginning; the first subscription alone remains.',
  ],
  ['GET', 'clock', showClock, "The service's time, and how far it is from this machine's."],
  ['POST', 'clock', changeClock, 'Moves the clock; what becomes due happens at once.'],
  [
    'GET',
    'timeline',
    (_, __, ___, world) => ({ items: world.timeline.list() }),
    'All that happened, oldest first: the latest 20,000 entries.',
  ],
  [
    'GET',
    'calls/:id',
    showCall,
    'One call of the API as it went over the wire, its token masked; the latest 5,000 are kept.',
  ],
  ['GET', 'deliveries', listDeliveries, 'The deliveries of events, each with its attempts.'],
  [
    'GET',
    'deliveries/:id',
    showDelivery,
    'One delivery, with what each attempt signed and what it should have signed.',
  ],
  ['POST', 'deliveries/:id/redeliver', redeliver, 'Makes one more attempt, and answers when it has ended.'],
  ['GET', 'subscriptions', listSubscriptions, 'The registered endpoints, without their secrets.'],
  [
    'POST',
    'subscriptions',
    register,
    'Registers an endpoint, or reactivates it under a new secret; this answer alone shows the secret.',
  ],
  [
    'DELETE',
    'subscriptions',
    (state, request) => unsubscribe(state, request),
    'Removes an endpoint by its id or its address.',
  ],
  ['DELETE', 'subscriptions/:id', unsubscribe, 'Removes an endpoint.'],
  ['GET', 'templates', listAllTemplates, 'The templates of all numbers, newest first.'],
  ['POST', 'templates', createTemplate, 'Makes a template, as the dashboard does.'],
  [
    'PATCH',
    'templates',
    (state, request) => changeTemplate(state, request),
    "Changes a template's review state, quality score or synchronisation, by its id, or by name and language.",
  ],
  ['PATCH', 'templates/:id', changeTemplate, "Changes a template's review state, quality score or synchronisation."],
  ['GET', 'faults', showFaults, 'The armed faults, and the recipients to whom the same always happens.'],
  ['PUT', 'faults', changeFaults, 'Arms these faults in place of all others; an empty list disarms.'],
  ['GET', 'keys', listKeys, 'The idempotency keys that the service remembers.'],
  ['POST', 'keys/release', releaseKeys, 'Settles the keys that a fault holds in flight: one key, or all.'],
  ['POST', 'keys/forget', forgetKeys, 'Forgets settled keys: one key, or all.'],
  ['GET', 'account', showAccount, 'Plan, suspension and connected numbers, their tokens masked.'],
  ['PUT', 'account', changeAccount, 'Changes the account; the answer shows the tokens.'],
  ['POST', 'explain', explainSend, 'Tells what would become of a send, check by check; nothing is sent.'],
  [
    'GET',
    'fidelity',
    showFidelity,
    'Every behaviour of the emulator with its label, and with its switch if it has one.',
  ],
  ['GET', 'assumptions', showAssumptions, 'What is assumed where the specification is silent.'],
  ['PUT', 'assumptions', changeAssumptions, 'Switches the assumptions that are given.'],
]

function restoreState(world: World, request: HttpRequest): ClockView {
  return showClock(world.renew(readControl(request, snapshotSchema)))
}
