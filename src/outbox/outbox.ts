import { endsWithin } from '../base/clock.ts'
import { keyFrom } from '../client/index.ts'
import type { Validation } from '../content/index.ts'
import type { Fence } from '../stores/port/index.ts'
import { createCodesInMemory } from './codes.ts'
import { createSendWorker } from './send-worker.ts'
import { createRecipients } from './recipients.ts'
import type { SendDeps } from './types.ts'
import { APP, recordSend, type SendIntent } from './record-send.ts'
import { sendCode, type CodeIntent } from './send-code.ts'
import type { TapSigner } from './tap-signature.ts'
import type { SendResult } from './send.ts'
import { createTemplateList, type TemplateList } from './template-list.ts'
import { watchTokens } from './watch-tokens.ts'

/** All that goes out, from the wish to its settlement. */
export interface Outbox {
  recordSend(saying: SendIntent): Promise<SendResult>
  sendCode(saying: CodeIntent): Promise<SendResult>
  /** Takes back what the app asked for under a key of its own and what has surely not gone out. */
  cancel(number: string, slot: string): Promise<boolean>
  wake(): void
  heldLeases(): readonly Fence[]
  stop(drainMs: number): Promise<void>
}

export interface OutboxDeps extends SendDeps {
  readonly strict: boolean
  readonly validation: Validation
  readonly tapSigner: TapSigner
  /** The token that a number would send with now; undefined where there is none. */
  token(number: string): Promise<string | undefined>
}

export function createOutbox(given: OutboxDeps): Outbox {
  const { store, clock, timers } = given
  const tokens = watchTokens({ ...given, tryAgain: (number) => store.probeThrottles(number) })
  const report: SendDeps['report'] = {
    ...given.report,
    throttled(number, queue) {
      given.report.throttled(number, queue)
      if (queue.stopped) tokens.watch(number)
    },
  }
  const worker = createSendWorker({ ...given, report })
  const codes = createCodesInMemory()
  const lists = new Map<string, TemplateList>()
  const room = {
    ...given,
    report,
    worker,
    codes,
    encode: {
      validation: given.validation,
      warn: (problem: string) => given.log.warn({ problem }, 'a content may pass a limit of the service'),
    },
    recipients: createRecipients(given.allowedRecipients),
    pause: (ms: number) => new Promise<void>((over) => void timers.after(Math.max(0, ms), over)),
    templates(number: string): TemplateList | undefined {
      const client = given.client(number)
      const list = lists.get(number) ?? (client && createTemplateList({ client, clock, timers }))
      if (list) lists.set(number, list)
      return list
    },
  }

  return {
    recordSend: (saying) => recordSend(saying, room),
    sendCode: (saying) => sendCode(saying, room),
    cancel: (number, slot) => store.cancelSend(keyFrom(number, APP, slot), clock.wall()),
    wake: worker.wake,
    heldLeases: () => [...worker.heldLeases(), ...codes.heldLeases()],
    async stop(drainMs) {
      tokens.stop()
      await Promise.all([worker.stop(drainMs), endsWithin(drainMs, timers, codes.idle())])
    },
  }
}
