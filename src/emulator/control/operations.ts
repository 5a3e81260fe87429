import { z } from 'zod'
import { refuse } from '../http/messages.ts'
import { assumptionsSchema } from '../model/assumptions.ts'
import { EARLIEST_MS, iso, LATEST_MS } from '../model/emulated-clock.ts'
import { type FaultRule, faultRuleSchema } from '../model/faults.ts'
import type { State } from '../world.ts'
import { ACCOUNT_OPERATIONS } from './account-control.ts'
import { CUSTOMER_OPERATIONS } from './customers-control.ts'
import { DELIVERY_OPERATIONS } from './deliveries-control.ts'
import { NO_BODY, change, get, invalid, span } from './request.ts'
import { TEMPLATE_OPERATIONS } from './templates-control.ts'

export type ClockView = { readonly now: string; readonly offsetMs: number }

const clockSchema = z
  .strictObject({
    advance: span.optional(),
    now: z.string().optional(),
    reset: z.literal(true).optional(),
    tellApp: z.boolean().optional(),
  })
  .refine(
    ({ advance, now, reset }) => [advance, now, reset].filter((one) => one !== undefined).length === 1,
    'needs exactly one of {"advance": "25h"}, {"now": "2026-03-04T09:00:00Z"} and {"reset": true}',
  )

function showClock({ clock }: State): ClockView {
  return { now: iso(clock.now()), offsetMs: clock.offset }
}

export type FaultsView = { readonly rules: readonly FaultRule[] }

function showFaults({ faults }: State): FaultsView {
  return { rules: faults.list() }
}

const factsSchema = z.record(
  z.string(),
  z.record(z.string(), z.union([z.string(), z.array(z.string()).nonempty(), z.record(z.string(), z.string())])),
)

export const OPERATIONS = {
  ...CUSTOMER_OPERATIONS,
  ...DELIVERY_OPERATIONS,
  showCall: get(
    'calls/:id',
    'One call of the API as sent, with its token masked. The latest 5,000 are kept.',
    ({ calls }, id) => {
      const call = calls.byId(id)
      if (call) return call
      throw refuse(
        404,
        'not_found',
        `The call ${id} does not exist. The latest are kept until a reset or the end of the run.`,
      )
    },
  ),
  showFaults: get('faults', 'The armed faults.', showFaults),
  changeFaults: change(
    'PUT',
    'faults',
    'Arms these faults and disarms all others. An empty list disarms all.',
    z.strictObject({ rules: z.array(faultRuleSchema) }),
    (state, { rules }) => {
      state.faults.set(rules)
      return showFaults(state)
    },
  ),
  listKeys: get('keys', 'The idempotency keys that the service remembers.', ({ keys }) => ({ items: keys.list() })),
  ...TEMPLATE_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  showClock: get('clock', "The service's time, and its offset from this machine's.", showClock),
  changeClock: change(
    'POST',
    'clock',
    'Moves the clock. Everything that becomes due happens at once.',
    clockSchema,
    async (state, { advance, now, tellApp }) => {
      if (advance !== undefined) advanceClock(state, advance)
      else if (now !== undefined) setClock(state, Date.parse(now), now)
      else moveClockBy(state, state.clock.reset())
      if (tellApp) await tellAppTheTime(state)
      return showClock(state)
    },
  ),
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
    'Sets the paths at which the app reads facts, by event. Made-up payloads contain them at these paths too. `$words` of an event has words for kinds or statuses. A bot calls this at its start.',
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

function advanceClock(state: State, ms: number): void {
  const { clock } = state
  checkRange(clock.now() + ms, `${ms} ms more`)
  clock.advance(ms)
  moveClockBy(state, ms)
}

function setClock(state: State, now: number, given: unknown): void {
  checkRange(now, given)
  moveClockBy(state, state.clock.set(now))
}

function moveClockBy(state: State, ms: number): void {
  state.publish({ kind: 'clock', clock: showClock(state), movedMs: ms })
  state.schedule.leap(ms)
}

function checkRange(now: number, given: unknown): void {
  if (!(now >= EARLIEST_MS && now < LATEST_MS))
    throw invalid(`The clock accepts ISO times from the year 2000 to 2199, got ${JSON.stringify(given)}.`)
}

/**
 * An app learns the service's time from deliveries and answers. So this sends each active endpoint again the last
 * delivery that it accepted, which the app treats as a duplicate. Resolves when all endpoints have answered.
 */
async function tellAppTheTime({ deliverer, subscriptions }: State): Promise<void> {
  const deliveries = deliverer.history.list()
  const last = subscriptions
    .list()
    .filter(({ state }) => state === 'active')
    .map(({ id }) => deliveries.findLast(({ state, subscription }) => state === 'delivered' && subscription.id === id))
    .filter((delivery) => delivery !== undefined)
  await Promise.all(last.map((delivery) => deliverer.redeliver(delivery, { why: 'clock_moved' })))
}
