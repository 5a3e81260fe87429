import { LRUCache } from 'lru-cache'
import { monotonicFactory } from 'ulid'
import { endsWithin } from '../../base/clock.ts'
import { keyFrom } from '../../client/client.ts'
import type { OnUsed } from '../../service/interactive.ts'
import { clientOf } from './attempt-send.ts'
import { type CodeIntent, createCodesInMemory, sendCode, type SendCodeDeps } from './one-time-codes.ts'
import { recordSend, type SendIntent } from './record-send.ts'
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
  const codes = createCodesInMemory()
  const onUsed = new LRUCache<string, OnUsed>({ max: USED_REMEMBERED })
  const lists = new LRUCache<string, TemplateList>({ max: TEMPLATE_LISTS })
  // Random for each millisecond. To be random for each id would cost a tenth of a reply.
  const ulid = monotonicFactory()
  const deps: SendCodeDeps = {
    ...options,
    worker,
    codes,
    onUsed,
    newId: () => ulid(clock.wall()),
    pause: (ms) => new Promise((resolve) => void timers.after(Math.max(0, ms), resolve)),
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
    onUsed: (key: string) => onUsed.get(key),
    sendCode: (intent: CodeIntent) => sendCode(intent, deps),
    /** Cancels a message that the app sent under its own key, if it has certainly not gone out. */
    cancel: (number: string, slot: string) => store.cancelSend(keyFrom(number, APP_CAUSE, slot), clock.wall()),
    templates: (number: string) => deps.templates(number).all(),
    /** The next message that names a template requests the list again. */
    readTemplatesAgain: (number: string) => deps.templates(number).expire(),
    wake: () => worker.wake(),
    recheck: () => worker.recheck(),
    running: () => worker.running() + codes.running(),
    async stop(drainMs: number): Promise<void> {
      await Promise.all([worker.stop(drainMs), endsWithin(drainMs, timers, codes.idle())])
    },
  }
}
