import * as builtIn from '../../built-in/customer-methods.ts'
import type { Content, OneTimeCode, Template } from '../../service/content.ts'
import { recipient } from '../../service/recipient.ts'
import type { SendKey } from '../outbox/send-options.ts'
import type { OneCustomer, SendContent } from '../feature.ts'
import type { SendResult } from '../outbox/send.ts'
import type { ReachMembers } from '../../built-in/context-members.ts'
import type { Reach } from '../routes/context.ts'
import type { Customers } from './forget-and-opt-out.ts'
import type { SessionChange } from './session.ts'
import type { CustomerOfNumber } from '../../store/database/customer-tables.ts'
import type { Fence } from '../../store/work/lanes.ts'

/** What differs between `ctx.to()` and `bot.to()`. */
export interface CustomerHandleDeps<O> {
  readonly number: string
  /** The delivery whose handler called `ctx.to()`. */
  readonly delivery?: string
  readonly fence: Fence | undefined
  customers(): Customers
  recordSend(content: Content | Template, options: O): Promise<SendResult>
  /** Undefined while the bot does not run. See `ownSendsOf`. */
  ownSends(): ReadonlyMap<unknown, SendContent> | undefined
  effect<T>(run: () => Promise<T>): Promise<T>
  enter(who: CustomerOfNumber, made: object, input: unknown): Promise<void>
  session(who: CustomerOfNumber): Promise<unknown>
  /** Absent for `ctx.to()`. */
  updateSession?(who: CustomerOfNumber, change: SessionChange): Promise<unknown>
}

type MethodOfFeature = (of: OneCustomer) => (...given: readonly unknown[]) => Promise<unknown>

const METHODS_OF_FEATURES = Object.values(builtIn).flatMap((methods) =>
  Object.entries(methods as unknown as Readonly<Record<string, MethodOfFeature>>),
)

/** Without a feature whose routes customers enter, `Reach` has no `enter`. */
type Handle<O> = Reach<O, unknown> & { readonly enter?: unknown }

export function customerHandle<O>(customer: string, deps: CustomerHandleDeps<O>): Handle<O> {
  const { effect, fence, customers } = deps
  const who = () => ({ number: deps.number, customer: customers().sameCustomer.of(recipient(customer)) })
  const ofFeatures = METHODS_OF_FEATURES.map(([name, method]) => [
    name,
    (...given: readonly unknown[]) =>
      effect(async () => method({ who: who(), fence, deps: customers().deps })(...given)),
  ])
  return {
    ...(Object.fromEntries(ofFeatures) as ReachMembers),
    send(content: Content | Template | OneTimeCode, options: O | { key: SendKey }) {
      return effect(() => {
        const send = typeof content === 'object' ? deps.ownSends()?.get(content?.kind) : undefined
        const { number, delivery } = deps
        if (send) return send({ number, to: customer, content, options, delivery })
        return deps.recordSend(content as Content | Template, options as O)
      })
    },
    forget: () => effect(async () => customers().forget(who(), fence)),
    optOut: (given) => effect(async () => customers().optOut(who(), given, fence)),
    optIn: (given) => effect(async () => customers().optIn(who(), given, fence)),
    optedOut: () => effect(async () => customers().optedOut(who())),
    enter: (made: object, ...input: readonly unknown[]) => effect(async () => deps.enter(who(), made, input[0])),
    session: async () => deps.session(who()),
    ...(deps.updateSession && { updateSession: async (change: SessionChange) => deps.updateSession?.(who(), change) }),
  }
}
