import { atMostOne } from '../../base/value.ts'
import type { Steps, Tx } from '../database/steps.ts'
import type { Gatherer } from '../database/store-effects.ts'
import { promote } from './lanes.ts'
import * as builtIn from '../../built-in/gatherers.ts'

type RulesOf<One> = One extends Gatherer<infer Rules> ? Rules : never

export type GatherRules = RulesOf<(typeof builtIn)[keyof typeof builtIn]>

/** The feature that gathers. There is at most one: a lane's gathered items do not say who gathered them. */
export const GATHERER = atMostOne<Gatherer<GatherRules>>(builtIn)

/** Lets gathered items that wait for a free lane enter it. */
export function* enterGathered(tx: Pick<Tx, 'wake'>, lane: string, now: number): Steps<void> {
  if (GATHERER && (yield* GATHERER.sealWaiting(lane, now))) tx.wake('items')
}

export function* promoteItem(tx: Pick<Tx, 'wake'>, lane: string, now: number): Steps<void> {
  if ((yield* promote('work', lane, now)) === undefined) yield* enterGathered(tx, lane, now)
  else tx.wake('items')
}
