import type { Fence, NewSend, OpenedSend } from '../port/index.ts'
import { lastMute } from './customers.ts'
import { holdsLane } from './lanes.ts'
import { askedDigest, insertSend, newRow, reopenSend } from './record-send.ts'
import { cameBack } from './restored.ts'
import { findRow, presentSend, sendOf } from './sends.ts'
import { run, sql, type Steps } from './steps.ts'
import { throttleOf } from './throttles.ts'
import { joinsLane, openingOf, type SendStart, startOf } from '../rules/sends.ts'
import type { Tx } from './steps.ts'
import { wakeLane } from './lanes.ts'

/** Records a send under its key: see `Store.openSend`. */
export function* openSend(tx: Tx, send: NewSend, fence?: Fence): Steps<OpenedSend | undefined> {
  if (fence && !(yield* holdsLane(fence))) return undefined
  const known = yield* findRow({ key: send.key })
  const asked = { customer: send.customer, body: send.body, askedDigest: askedDigest(send) }
  const opening = openingOf(asked, known && { ...sendOf(known), askedDigest: known.asked ?? undefined })
  const id = known?.id ?? send.id
  if (opening.found === 'known') {
    if (opening.marks) yield* run(sql`UPDATE sends SET diverged = 1 WHERE id = ${id}`)
    return { send: yield* presentSend(id), found: 'known', diverged: opening.diverged }
  }
  const at = yield* startNow(send, fence)
  const row = newRow(send, at)
  if (opening.found === 'new') yield* insertSend(row)
  else yield* reopenSend(id, row)
  if (joinsLane(at)) yield* wakeLane(tx, send.lane, 'send', send.createdAt)
  return { send: opening.found === 'new' ? sendOf(row) : yield* presentSend(id), found: opening.found, diverged: false }
}

function* startNow(send: NewSend, fence: Fence | undefined): Steps<SendStart> {
  const { unlessMutedAt, dueAt } = send
  return startOf({
    cameBack: fence !== undefined && (yield* cameBack(fence.lane, send)),
    mute: unlessMutedAt === undefined ? undefined : yield* lastMute(send),
    unlessMutedAt,
    dueAt,
    throttle: yield* throttleOf(send.number),
  })
}
