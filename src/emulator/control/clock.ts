import { z } from 'zod'
import { type Duration, toMs } from '../../base/duration.ts'
import { iso } from '../events/event.ts'
import type { HttpRequest } from '../http/messages.ts'
import { EARLIEST_MS, LATEST_MS } from '../model/clock.ts'
import type { State } from '../state.ts'
import { invalid, orInvalid, readControl } from './request.ts'

export type ClockView = { readonly now: string; readonly offsetMs: number }

/** With `tellApp` the app hears of it at once, by a delivery that it has had. */
const tellApp = z.boolean().optional()

const changeSchema = z.union(
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

export async function changeClock(state: State, request: HttpRequest): Promise<ClockView> {
  const change = readControl(request, changeSchema)
  if ('advance' in change) advance(state, change.advance as Duration)
  else if ('now' in change) setTo(state, Date.parse(change.now), change.now)
  else resetClock(state)
  if (change.tellApp) await tellTime(state)
  return showClock(state)
}

/** Moves the clock forward; what became due happens at once. */
export function advance(state: State, by: Duration): void {
  const { clock } = state
  const ms = Math.round(orInvalid(() => toMs(by, 'advance')))
  mustBeReachable(clock.now() + ms, by)
  clock.advance(ms)
  leap(state, ms)
}

/** Moves the clock to a time, in either direction; `shown` is what was asked for. */
export function setTo(state: State, now: number, shown: unknown): void {
  mustBeReachable(now, shown)
  leap(state, state.clock.set(now))
}

export function resetClock(state: State): void {
  leap(state, state.clock.reset())
}

/** Says so before what became due happens. */
function leap(state: State, ms: number): void {
  state.tell('clock', { clock: showClock(state), movedMs: ms })
  state.schedule.leap(ms)
}

function mustBeReachable(now: number, shown: unknown): void {
  if (!(now >= EARLIEST_MS && now < LATEST_MS))
    throw invalid(`The clock goes from the year 2000 to 2199 and takes ISO times, got ${JSON.stringify(shown)}.`)
}

/**
 * An app hears of another time by the next delivery or answer, and none may come: so to each active endpoint the last
 * delivery that it took comes once more. That is what the service does too, and has no second effect. Resolves when they
 * are answered.
 */
export async function tellTime({
  deliverer,
  subscriptions,
}: Pick<State, 'deliverer' | 'subscriptions'>): Promise<void> {
  const deliveries = deliverer.list()
  const isActive = ({ state }: { readonly state: string }) => state === 'active'
  const last = subscriptions
    .list()
    .filter(isActive)
    .map(({ id }) => deliveries.findLast(({ state, subscription }) => state === 'delivered' && subscription.id === id))
    .filter((delivery) => delivery !== undefined)
  await Promise.all(last.map((delivery) => deliverer.redeliver(delivery, {})))
}
