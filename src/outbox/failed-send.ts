import type { Clock } from '../base/clock.ts'
import type { SendRow, Store } from '../stores/port/index.ts'
import { tellingOf } from '../stores/rules/send-failures.ts'
import { type Send, sendOf } from './send.ts'

/** A send that ended without a caller who hears of it. */
export interface FailedSend {
  readonly send: Send
  readonly code: string | undefined
  readonly reason: string
}

/** The bytes of a telling: see `Store.settleSend`. */
type Told = Pick<SendRow, 'state' | 'settledAt' | 'code' | 'reason'> & { readonly send: string }

/**
 * The send that a telling speaks of; undefined if there is nothing to tell any more, and `waitMs` if a caller may still
 * wait for so long.
 */
export async function failedSendIn(
  body: Uint8Array,
  { store, clock }: { readonly store: Store; readonly clock: Clock },
): Promise<FailedSend | { readonly waitMs: number } | undefined> {
  const told = JSON.parse(Buffer.from(body).toString('utf8')) as Told
  const row = await store.findSend({ id: told.send })
  const wall = clock.wall()
  const telling = tellingOf({ told, now: row }, wall)
  if (row === undefined || telling === 'over') return undefined
  if (telling !== 'due') return { waitMs: telling.at - wall }
  return { send: await sendOf(store, row), code: told.code, reason: told.reason ?? told.state }
}
