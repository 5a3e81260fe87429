import { toMs } from '../base/duration.ts'
import { type Content, type OneTimeCode, recipient, type Template } from '../content/index.ts'
import type { Takeover, CodeIntent, SendResult } from '../outbox/index.ts'
import type { Fence } from '../stores/port/index.ts'
import { checkedCodeKey } from './check-send.ts'
import type { Reach, SendKey } from '../routes/index.ts'

/** How a customer is reached: from a handler's context with a fence and as its effect, from the bot without. */
export interface CustomerHandleDeps<O> {
  readonly number: string
  readonly fence: Fence | undefined
  takeover(): Takeover
  recordSend(content: Content | Template, options: O): Promise<SendResult>
  sendCode(saying: CodeIntent): Promise<SendResult>
  effect<T>(run: () => Promise<T>): Promise<T>
  session(who: { readonly number: string; readonly customer: string }): Promise<unknown>
  /** Told when this customer was forgotten. */
  forgotten?(): void
}

export function customerHandle<O>(customer: string, by: CustomerHandleDeps<O>): Reach<O, unknown> {
  // Nobody has a silence, a session or anything to forget under what is no phone number: the caller meant somebody.
  const who = () => ({ number: by.number, customer: recipient(customer) })
  return {
    send(content: Content | Template | OneTimeCode, options: O | { key: SendKey }) {
      if (!isCode(content)) return by.effect(() => by.recordSend(content, options as O))
      return by.effect(async () =>
        by.sendCode({
          number: by.number,
          to: customer,
          code: content,
          slot: checkedCodeKey(options as { key: SendKey }),
        }),
      )
    },
    handOver: ({ for: span }) =>
      by.effect(async () => by.takeover().handOver(who(), toMs(span, 'handOver.for'), by.fence)),
    forget: () =>
      by.effect(async () => {
        await by.takeover().forget(who(), by.fence)
        by.forgotten?.()
      }),
    session: async () => by.session(who()),
    resume: () => by.effect(async () => by.takeover().resume(who(), by.fence)),
  }
}

function isCode(content: Content | Template | OneTimeCode): content is OneTimeCode {
  return typeof content === 'object' && content !== null && content.kind === 'code'
}
