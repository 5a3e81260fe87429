import { toMs } from '../../base/duration.ts'
import type { Content, OneTimeCode, Template } from '../../service/content.ts'
import { recipient } from '../../service/recipient.ts'
import type { Customers } from '../outbox/customers.ts'
import type { SendKey } from '../outbox/send-options.ts'
import type { SendContent } from '../feature.ts'
import type { SendResult } from '../outbox/send.ts'
import type { Reach } from '../routes/context.ts'
import type { SessionChange } from './session.ts'
import type { CustomerOfNumber } from '../../store/customers.ts'
import type { Fence } from '../../store/work/lanes.ts'

/** What differs between `ctx.to()` and `bot.to()`. */
export interface CustomerHandleDeps<O> {
  readonly number: string
  /** The delivery whose handler made the handle. */
  readonly delivery?: string
  readonly fence: Fence | undefined
  customers(): Customers
  recordSend(content: Content | Template, options: O): Promise<SendResult>
  /** Undefined while the bot does not run. See `ownSendsOf`. */
  ownSends(): ReadonlyMap<unknown, SendContent> | undefined
  effect<T>(run: () => Promise<T>): Promise<T>
  enter(who: CustomerOfNumber, made: object, input: unknown): Promise<void>
  session(who: CustomerOfNumber): Promise<unknown>
  /** Absent if the handle belongs to a handler. */
  updateSession?(who: CustomerOfNumber, change: SessionChange): Promise<unknown>
}

/** Without a feature whose routes customers enter, `Reach` has no `enter`. */
type Handle<O> = Reach<O, unknown> & { readonly enter?: unknown }

export function customerHandle<O>(customer: string, deps: CustomerHandleDeps<O>): Handle<O> {
  const { effect, fence, customers } = deps
  const who = () => ({ number: deps.number, customer: customers().sameCustomer.of(recipient(customer)) })
  return {
    send(content: Content | Template | OneTimeCode, options: O | { key: SendKey }) {
      return effect(() => {
        const send = typeof content === 'object' ? deps.ownSends()?.get(content?.kind) : undefined
        const { number, delivery } = deps
        if (send) return send({ number, to: customer, content, options, delivery })
        return deps.recordSend(content as Content | Template, options as O)
      })
    },
    handOver: ({ for: span }) => effect(async () => customers().handOver(who(), toMs(span, 'handOver.for'), fence)),
    resume: () => effect(async () => customers().resume(who(), fence)),
    forget: () => effect(async () => customers().forget(who(), fence)),
    optOut: (given) => effect(async () => customers().optOut(who(), given, fence)),
    optIn: (given) => effect(async () => customers().optIn(who(), given, fence)),
    optedOut: () => effect(async () => customers().optedOut(who())),
    enter: (made: object, ...input: readonly unknown[]) => effect(async () => deps.enter(who(), made, input[0])),
    session: async () => deps.session(who()),
    ...(deps.updateSession && { updateSession: async (change: SessionChange) => deps.updateSession?.(who(), change) }),
  }
}
