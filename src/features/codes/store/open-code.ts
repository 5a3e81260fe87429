import { insertSend, newRow } from '../../../store/outbox/open.ts'
import { type NewSend, presentSend, sendRowOf } from '../../../store/outbox/rows.ts'
import { isGoingOut } from '../../../store/outbox/send-rules.ts'
import { inTexts, sql } from '../../../store/database/sql.ts'
import { all, type Steps, type Tx } from '../../../store/database/steps.ts'
import { sends, type SendRow } from '../../../store/database/outbox-tables.ts'
import { concerning, type Ways } from '../../../store/database/engine.ts'
import { declareDead, type EndingLease } from '../../../store/work/processes.ts'
import { type Fence, livingProcess } from '../../../store/work/lanes.ts'

/**
 * The result of opening a one-time code. `known`: under this key a code is under way, was accepted, or went to another
 * customer. `used_up`: no more codes may go out under this key.
 */
export type OpenedCode =
  | { readonly found: 'new'; readonly send: SendRow; readonly fence: Fence }
  | { readonly found: 'known'; readonly send: SendRow }
  | { readonly found: 'used_up' }

export const operations = {
  others: ({ write }: Ways) => ({
    openCode: (send: NewSend, keys: readonly string[], lease: EndingLease) =>
      write((tx) => openCode(tx, send, keys, lease), {
        ...concerning(send),
        keys: keys.map((key) => `key:${key}`),
      }),
  }),
}

/** Records a one-time code under the next unused key of `keys`. Codes of dead processes become `lost_code` first. */
function* openCode(tx: Tx, send: NewSend, keys: readonly string[], lease: EndingLease): Steps<OpenedCode | undefined> {
  const process = yield* livingProcess(tx, lease)
  if (process === undefined) return undefined
  yield* declareDead(tx, process, lease)
  const earlier = yield* all<Pick<SendRow, 'id' | 'state' | 'customer'>>(sql`
    SELECT id, state, customer FROM ${sends} WHERE key ${inTexts(keys)} AND withheld = 1 ORDER BY seq`)
  const latest = earlier.at(-1)
  // A key belongs to one customer. For another customer, return the known send: the caller then throws `diverged`.
  if (latest && (isGoingOut(latest.state) || latest.state === 'accepted' || latest.customer !== send.customer))
    return { found: 'known', send: yield* presentSend(latest.id) }
  const key = keys[earlier.length]
  if (key === undefined) return { found: 'used_up' }
  const row = { ...newRow(send, { state: 'ready' }), key, withheld: 1 }
  const stored = yield* insertSend(row, { ...row, place: 1, owner: process, run: 1 })
  if (!stored) throw new Error('a one-time code has the key of another send')
  return {
    found: 'new',
    send: sendRowOf(row, undefined),
    fence: { lane: send.lane, of: send.id, owner: process, run: 1 },
  }
}
