import { z } from 'zod'
import { assumptionsSchema } from '../model/assumptions.ts'
import { ACCOUNT_OPERATIONS } from './account-control.ts'
import { CLOCK_OPERATIONS } from './clock-control.ts'
import { CUSTOMER_OPERATIONS } from './customers-control.ts'
import { DELIVERY_OPERATIONS } from './deliveries-control.ts'
import { NO_BODY, change, get } from './request.ts'
import { SEND_OPERATIONS } from './sends-control.ts'
import { TEMPLATE_OPERATIONS } from './templates-control.ts'

const factsSchema = z.record(z.string(), z.record(z.string(), z.union([z.string(), z.array(z.string()).nonempty()])))

export const OPERATIONS = {
  ...CUSTOMER_OPERATIONS,
  ...DELIVERY_OPERATIONS,
  ...SEND_OPERATIONS,
  ...TEMPLATE_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...CLOCK_OPERATIONS,
  showTimeline: get('timeline', 'The latest 20,000 entries, oldest first.', (_, __, { timeline }) => ({
    items: timeline.list(),
  })),
  showAssumptions: get(
    'assumptions',
    'The assumptions about questions that the specification leaves open.',
    ({ assumptions }) => structuredClone(assumptions),
  ),
  changeAssumptions: change(
    'PUT',
    'assumptions',
    'Switches the given assumptions.',
    assumptionsSchema,
    (state, given) => structuredClone(Object.assign(state.assumptions, given)),
  ),
  mapFacts: change(
    'PUT',
    'facts',
    'Sets the paths at which the app reads facts, by event. Made-up payloads contain them at these paths too. A bot calls this at its start.',
    factsSchema,
    (state, facts) => {
      state.payloads.map(facts)
      return facts
    },
  ),
  reset: change(
    'POST',
    'reset',
    'Starts over: no customers, templates, keys, deliveries or faults; only the first subscription.',
    NO_BODY,
    (_, __, ___, world) => world.reset(),
  ),
}
