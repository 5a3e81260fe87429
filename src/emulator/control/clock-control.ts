import { z } from 'zod'
import { EARLIEST_MS, iso, LATEST_MS } from '../model/emulated-clock.ts'
import type { State } from '../world.ts'
import { change, get, invalid, span } from './request.ts'

export type ClockView = { readonly now: string; readonly offsetMs: number }

const tellApp = z.boolean().optional()

const clockSchema = z.union(
  [
    z.strictObject({ advance: span, tellApp }),
    z.strictObject({ now: z.string(), tellApp }),
    z.strictObject({ reset: z.literal(true), tellApp }),
  ],
  'needs exactly one of {"advance": "25h"}, {"now": "2026-03-04T09:00:00Z"} and {"reset": true}',
)

function showClock({ clock }: State): ClockView {
  return { now: iso(clock.now()), offsetMs: clock.offset }
}

export const CLOCK_OPERATIONS = {
  showClock: get('clock', "The service's time, and its offset from this machine's.", showClock),
  changeClock: change(
    'POST',
    'clock',
    'Moves the clock. Everything that becomes due happens at once.',
    clockSchema,
    async (state, wanted) => {
      if ('advance' in wanted) advanceClock(state, wanted.advance)
      else if ('now' in wanted) setClock(state, Date.parse(wanted.now), wanted.now)
      else moveClockBy(state, state.clock.reset())
      if (wanted.tellApp) await tellAppTheTime(state)
      return showClock(state)
    },
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
  state.announce({ kind: 'clock', clock: showClock(state), movedMs: ms })
  state.schedule.leap(ms)
}

function checkRange(now: number, given: unknown): void {
  if (!(now >= EARLIEST_MS && now < LATEST_MS))
    throw invalid(`The clock accepts ISO times from the year 2000 to 2199, got ${JSON.stringify(given)}.`)
}

/**
 * Repeats to each active endpoint the last delivery that it acknowledged. An app learns the time from a delivery or an
 * answer, and there may be none for long. The service repeats deliveries too, so this has no other effect. Resolves
 * when all are answered.
 */
async function tellAppTheTime({ deliverer, subscriptions }: State): Promise<void> {
  const deliveries = deliverer.list()
  const last = subscriptions
    .list()
    .filter(({ state }) => state === 'active')
    .map(({ id }) => deliveries.findLast(({ state, subscription }) => state === 'delivered' && subscription.id === id))
    .filter((delivery) => delivery !== undefined)
  await Promise.all(last.map((delivery) => deliverer.redeliver(delivery, {})))
}
