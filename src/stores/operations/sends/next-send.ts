import type { DueSend } from '../../port/index.ts'
import { mayBegin } from '../../rules/throttles.ts'
import { releaseLane } from '../lanes/lanes.ts'
import type { Steps, Tx } from '../steps.ts'
import { dueSend, sendFacts } from './send-facts.ts'
import { headOfLane } from './sends.ts'
import { noteProbe } from './throttles.ts'

/** The first send of a held lane, if it is ready and its number's throttle lets it out; else the lane is released. */
export function* nextSendOrRelease(tx: Tx, lane: string, now: number, goOn: boolean): Steps<DueSend | undefined> {
  const head = yield* headOfLane(lane)
  const facts = head && goOn && head.next_at <= now ? yield* sendFacts(head) : undefined
  const may = facts && mayBegin(facts.throttle, now)
  if (!head || !facts || may === 'no') {
    yield* releaseLane(lane, head?.next_at, now)
    if (head) tx.wake('sends')
    return undefined
  }
  if (may === 'probe') yield* noteProbe(head.number, now)
  return dueSend(head, facts)
}
