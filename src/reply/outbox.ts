import { endsWithin } from '../base/within.ts'
import { keyFrom } from '../client/index.ts'
import type { Validation } from '../content/index.ts'
import type { Fence } from '../stores/port/index.ts'
import { createCodesInMemory } from './codes.ts'
import { createDrain } from './drain.ts'
import { createRecipients } from './recipients.ts'
import type { OutboxRoom } from './room.ts'
import { APP, say, type Saying } from './say.ts'
import { sayCode, type SayingCode } from './say-code.ts'
import type { Seals } from './seals.ts'
import type { SendResult } from './send.ts'
import { createTemplateList, type TemplateList } from './template-list.ts'
import { watchTokens } from './watch-tokens.ts'

/** All that goes out, from the wish to its settlement. */
export interface Outbox {
  say(saying: Saying): Promise<SendResult>
  sayCode(saying: SayingCode): Promise<SendResult>
  /** Takes back what the app asked for under a key of its own and what has surely not gone out. */
  cancel(number: string, slot: string): Promise<boolean>
  nudge(): void
  holding(): readonly Fence[]
  stop(drainMs: number): Promise<void>
}

export interface OutboxGiven extends OutboxRoom {
  readonly strict: boolean
  readonly validation: Validation
  readonly seals: Seals
  /** The token that a number would send with now; undefined where there is none. */
  token(number: string): Promise<string | undefined>
}

export function createOutbox(given: OutboxGiven): Outbox {
  const { store, clock, timers } = given
  const tokens = watchTokens({ ...given, tryAgain: (number) => store.tryQueues(number) })
  const report: OutboxRoom['report'] = {
    ...given.report,
    queueClosed(number, queue) {
      given.report.queueClosed(number, queue)
      if (queue.stopped) tokens.watch(number)
    },
  }
  const drain = createDrain({ ...given, report })
  const codes = createCodesInMemory()
  const lists = new Map<string, TemplateList>()
  const room = {
    ...given,
    report,
    drain,
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
    say: (saying) => say(saying, room),
    sayCode: (saying) => sayCode(saying, room),
    cancel: (number, slot) => store.cancelSend(keyFrom(number, APP, slot), clock.wall()),
    nudge: drain.nudge,
    holding: () => [...drain.holding(), ...codes.holding()],
    async stop(drainMs) {
      tokens.stop()
      await Promise.all([drain.stop(drainMs), endsWithin(drainMs, timers, codes.idle())])
    },
  }
}
