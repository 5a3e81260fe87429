import type { Store } from '../../../src/store/store.ts'
import { send } from '../../store/samples.ts'
import { databaseFolder } from './database-folder.ts'
import { switchhook } from './support.ts'
import type { NewSend } from '../../../src/store/outbox/rows.ts'
import type { NumberThrottle } from '../../../src/store/outbox/send-rules.ts'
import type { Via } from '../../../src/store/database/outbox-tables.ts'
import type { SendSettlement } from '../../../src/store/outbox/send-attempts.ts'

export const UNKNOWN = { as: 'unknown', code: undefined, reason: 'no answer' } as const
export const REFUSED = { as: 'refused', code: 'template_not_found', reason: 'not there' } as const

/** A folder with an app's database, and the commands that run there. */
export function outboxFolder() {
  const { file, folder, inApp } = databaseFolder()
  return {
    file,
    folder,
    inApp,
    outbox: (...args: string[]) => switchhook(['outbox', ...args], {}, folder()),
    /** Stores a send, attempts it and settles the attempt. */
    attempted: (one: NewSend, settlement: SendSettlement, o: { via?: Via; move?: NumberThrottle } = {}) =>
      inApp(async (store) => {
        await store.openSend(one)
        await attempt(store, one, settlement, o)
        return one
      }),
    stateOf: async (id: string) => (await inApp((store) => store.findSend({ id })))?.state,
  }
}

export async function attempt(
  store: Store,
  one: NewSend,
  settlement: SendSettlement,
  o: { via?: Via; move?: NumberThrottle } = {},
) {
  const now = Date.now()
  const { begun } = await store.claimSends({ processName: 'app', limit: 16, now, leaseMs: 10_000 })
  const due = begun.find(({ work }) => work.send.id === one.id)
  if (!due) throw new Error('the send is not due')
  await store.beginSend(due.fence, one.id, o.via ?? 'freeform', now)
  const queue = o.move && { number: one.number, move: o.move }
  await store.settleSend(due.fence, one.id, settlement, { now, goOn: false }, queue)
}

/** A new send in its own lane. */
export function fresh(given: Partial<NewSend> = {}): NewSend {
  const one = send({ createdAt: Date.now(), ...given })
  return { ...one, lane: `${one.number}/${one.id}/out` }
}
