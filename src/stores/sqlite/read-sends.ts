import type { Store } from '../port/index.ts'
import { heldSends } from './held-sends.ts'
import { listSends } from './list-sends.ts'
import { openToRead } from './open-to-read.ts'
import { closedThrottles } from './throttles.ts'
import { sendById } from './send-rows.ts'
import { statusesOfSend } from './statuses.ts'

/** Operations of the store that only read sends, for commands beside a running app. */
export type SendReader = Pick<Store, 'restored' | 'listSends' | 'closedThrottles' | 'send' | 'statusesOf' | 'close'>

/**
 * Opens a database that an app may be working on, to look at its sends.
 *
 * @throws SwitchhookError as `openToRead` does.
 */
export function readSends(file: string): SendReader {
  const connection = openToRead(file)
  const { sql } = connection
  const held = heldSends(sql)
  return {
    restored: held === undefined ? undefined : { why: 'earlier', held },
    listSends: async (query) => listSends(sql, query),
    closedThrottles: async (now) => closedThrottles(sql, now),
    send: async (id) => sendById(sql, id),
    statusesOf: async (send) => statusesOfSend(sql, send),
    close: async () => connection.close(),
  }
}
