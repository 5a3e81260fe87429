import { LRUCache } from 'lru-cache'
import { monotonicFactory } from 'ulid'
import { keyFrom } from '../../client/client.ts'
import type { OnUsed } from '../../service/interactive.ts'
import { clientOf } from './attempt-send.ts'
import type { SendContent } from '../feature.ts'
import { recordSend, type RecordSendDeps, type SendIntent } from './record-send.ts'
import { SendWorker } from './send-worker.ts'
import { TemplateList } from './template-check.ts'
import type { SendDeps } from './send-types.ts'
import { APP_CAUSE } from '../../store/rules/sends.ts'

export type Outbox = ReturnType<typeof createOutbox>

/** The latest messages whose second tap runs something. */
const USED_REMEMBERED = 10_000
/** The most numbers whose lists of templates are cached. A bot may have any number of numbers. */
const TEMPLATE_LISTS = 1_000

export function createOutbox(options: SendDeps) {
  const { store, clock, timers } = options
  const worker = new SendWorker(options)
  const onUsed = new LRUCache<string, OnUsed>({ max: USED_REMEMBERED })
  const lists = new LRUCache<string, TemplateList>({ max: TEMPLATE_LISTS })
  // Random for each millisecond. To be random for each id would cost a tenth of a reply.
  const ulid = monotonicFactory()
  const deps: RecordSendDeps = {
    ...options,
    worker,
    onUsed,
    newId: () => ulid(clock.wall()),
    templates(number) {
      const client = () => clientOf(number, options)
      const list =
        lists.get(number) ?? new TemplateList({ client, clock, timers, local: options.strict, store, number })
      lists.set(number, list)
      return list
    },
  }

  const record = (intent: SendIntent) => recordSend(intent, deps)

  return {
    recordSend: record,
    /** What sends contents that are not recorded here, by their kind. */
    ownSends: new Map<unknown, SendContent>(),
    onUsed: (key: string) => onUsed.get(key),
    /** Cancels a message that the app sent under its own key, if it has certainly not gone out. */
    cancel: (number: string, slot: string) => store.cancelSend(keyFrom(number, APP_CAUSE, slot), clock.wall()),
    lanes: worker.lanes,
    running: () => worker.lanes.running() + worker.outside(),
    outside: () => worker.outside(),
    /** For what records sends beside it. */
    deps: { ...deps, recordSend: record },
  }
}
