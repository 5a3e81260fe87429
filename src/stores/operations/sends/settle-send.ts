import {
  type DueSend,
  type Fence,
  type Next,
  numberOf,
  type SendSettlement,
  type Settled,
  type ThrottleMove,
} from '../../port/index.ts'
import { run, sql, type Steps, type Tx } from '../steps.ts'
import { isCode } from './codes.ts'
import { nextSendOrRelease } from './next-send.ts'
import { IN_LANE } from './sends.ts'
import { tellIfFailed } from './tell-failed.ts'
import { changeThrottle } from './throttles.ts'
import { writeSettlement } from './write-settlement.ts'

/** Settles an attempt and goes on with its lane: see `Store.settleSend`. */
export function* settleSend(
  tx: Tx,
  fence: Fence,
  send: string,
  settlement: SendSettlement,
  { now, goOn, room }: Next,
  throttle?: ThrottleMove,
  isAwaited?: () => boolean,
): Steps<Settled<DueSend>> {
  const { lane } = fence
  if (!(yield* writeSettlement(fence, send, settlement, now))) return { held: false, next: undefined }
  if (isAwaited && isEnd(settlement)) yield* tellIfFailed(tx, send, now, isAwaited())
  if (throttle) yield* changeThrottle(tx, throttle, now)
  // A one-time code keeps its lane until it is settled: nobody else has its real body.
  if ((yield* endIdleLane(lane)) || (yield* isCode(lane))) return { held: true, next: undefined }
  const number = numberOf(lane)
  const mayGoOn = goOn && tx.newerSchema() === undefined && room?.take(number) !== false
  const following = yield* nextSendOrRelease(tx, lane, now, mayGoOn)
  if (mayGoOn && !following) room?.give(number)
  return { held: true, next: following }
}

function isEnd({ as }: SendSettlement): boolean {
  return as === 'refused' || as === 'unknown' || as === 'skipped'
}

/** Most lanes have nothing more, and one statement finds that and ends them. */
function* endIdleLane(lane: string): Steps<boolean> {
  const ended = yield* run(sql`
    DELETE FROM lanes WHERE key = ${lane} AND NOT EXISTS (SELECT 1 FROM sends WHERE lane = ${lane} AND ${IN_LANE})`)
  return ended > 0
}
