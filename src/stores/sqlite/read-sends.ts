import { heldSends } from '../operations/restored.ts'
import { findSend, listSends } from '../operations/sends.ts'
import { statusesOf } from '../operations/statuses.ts'
import { closedThrottles } from '../operations/throttles.ts'
import type { Store } from '../port/index.ts'
import { openToRead } from './open-to-read.ts'

/** Operations of the store that only read sends, for commands beside a running app. */
export type SendReader = Pick<Store, 'restored' | 'listSends' | 'closedThrottles' | 'findSend' | 'statusesOf' | 'close'>

/**
 * Opens a database that an app may be working on, to look at its sends.
 *
 * @throws SwitchhookError as `openToRead` does.
 */
export function readSends(file: string): SendReader {
  const { drive, close } = openToRead(file)
  const held = drive(heldSends())
  return {
    restored: held === undefined ? undefined : { why: 'earlier', held },
    listSends: async (query) => drive(listSends(query)),
    closedThrottles: async (now) => drive(closedThrottles(now)),
    findSend: async (by) => drive(findSend(by)),
    statusesOf: async (send) => drive(statusesOf(send)),
    close: async () => close(),
  }
}
