import { z } from 'zod'
import { type Duration, toMs } from '../../base/duration.ts'
import { EARLIEST_MS, iso, LATEST_MS } from '../model/clock.ts'
import type { State } from '../world.ts'
import { invalid, orInvalid } from './request.ts'

export type ClockView = { readonly now: string; readonly offsetMs: number }

/** Lets the app learn the new time at once, from a repeated delivery. */
const tellApp = z.boolean().optional()

export const clockSchema = z.union(
  [
    z.strictObject({ advance: z.union([z.string(), z.number()]), tellApp }),
    z.strictObject({ now: z.string(), tellApp }),
    z.strictObject({ reset: z.literal(true), tellApp }),
  ],
  'needs exactly one of {"advance": "25h"}, {"now": "2026-03-04T09:00:00Z"} and {"reset": true}',
)

export function showClock({ clock }: State): ClockView {
  return { now: iso(clock.now()), offsetMs: clock.offset }
}

export async function changeClock(state: State, change: z.output<typeof clockSchema>): Promise<ClockView> {
  if ('advance' in change) advanceClock(state, change.advance as Duration)
  else if ('now' in change) setClock(state, Date.parse(change.now), change.now)
  else resetClock(state)
  if (change.tellApp) await tellAppTheTime(state)
  return showClock(state)
}

/** Moves the clock forward; what becomes due happens at once. */
function advanceClock(state: State, by: Duration): void {
  const { clock } = state
  const ms = Math.round(orInvalid(() => toMs(by, 'advance')))
  checkRange(clock.now() + ms, by)
  clock.advance(ms)
  leap(state, ms)
}

/** Moves the clock to a time, in either direction; `given` is the value to name in an error. */
export function setClock(state: State, now: number, given: unknown): void {
  checkRange(now, given)
  leap(state, state.clock.set(now))
}

function resetClock(state: State): void {
  leap(state, state.clock.reset())
}

/** Announces the new time first: what becomes due happens after it. */
function leap(state: State, ms: number): void {
  state.announce({ kind: 'clock', clock: showClock(state), movedMs: ms })
  state.schedule.leap(ms)
}

function checkRange(now: number, given: unknown): void {
  if (!(now >= EARLIEST_MS && now < LATEST_MS))
    throw invalid(`The clock goes from the year 2000 to 2199 and takes ISO times, got ${JSON.stringify(given)}.`)
}

/**
 * Repeats to each active endpoint the last delivery that it acknowledged. An app learns a new time from a delivery or an
 * answer, and none may come; the repetition is what the service does too, and has no second effect. Resolves when all are
 * answered.
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
