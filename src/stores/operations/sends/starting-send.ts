import type { BeginningSend, NewSend, OpenedSend } from '../../port/index.ts'
import { isGoingOut, startOf } from '../../rules/sends.ts'
import { mayBegin } from '../../rules/throttles.ts'
import { newRow, reopenedRow } from './record-send.ts'
import { dueSend, type SendFacts } from './send-facts.ts'
import { type NewRow, type Row, sendOf } from './sends.ts'

/** The row of a send that is recorded, or opened again, and waits for its turn if it is to go out. */
export function startingRow(send: NewSend, facts: SendFacts, cameBack: boolean, known?: Row): NewRow {
  const { unlessMutedAt, needsInboundSince, dueAt } = send
  const at = startOf({ ...facts, unlessMutedAt, needsInboundSince, dueAt, cameBack })
  return known ? reopenedRow(known, send, at) : newRow(send, at)
}

/** The row of a send whose first attempt begins now; undefined if the send has to wait. */
export function begunRow(row: NewRow, facts: SendFacts, begin: BeginningSend): NewRow | undefined {
  if (row.state !== 'ready' || mayBegin(facts.throttle, begin.now) !== 'yes') return undefined
  const via = begin.via(dueSend(row, facts))
  if (via === undefined || !begin.room.take(row.number)) return undefined
  const { now } = begin
  return { ...row, state: 'attempting', via, attempts: 1, first_attempt_at: now, attempting_since: now }
}

/** Its caller has the answer at once, and does not wait. */
export function awaitedIfGoingOut(row: NewRow, { throttle }: SendFacts): NewRow {
  return isGoingOut(sendOf(row, throttle).state) ? row : { ...row, awaited_until: null }
}

/** The answer that a send was opened; `begun` is the lane of its attempt. */
export function openedSend(
  row: NewRow,
  facts: SendFacts,
  found: 'new' | 'reopened',
  fence: NonNullable<OpenedSend['begun']>['fence'] | undefined,
): OpenedSend {
  const opened = { send: sendOf(row, facts.throttle), found, diverged: false }
  return fence ? { ...opened, begun: { fence, work: { ...dueSend(row, facts), begun: true } } } : opened
}
