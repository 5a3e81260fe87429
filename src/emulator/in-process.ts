import { createHandles } from './in-process-api.ts'
import type { HttpAnswer, HttpRequest } from './http/messages.ts'
import { answerTo } from './http/server.ts'
import { type EmulatorInternals, resolveOptions } from './options.ts'
import { choicesOn, type PhoneChoice } from './model/thread.ts'
import type { ThreadItem } from './model/thread.ts'
import { answerApi } from './service/api.ts'
import { createWorld } from './world.ts'

/** The service without a socket: whoever makes it hands it the requests to its API, and is handed its deliveries. */
export interface InProcessEmulator
  extends Pick<
    ReturnType<typeof createHandles>,
    'account' | 'assumptions' | 'customer' | 'events' | 'faults' | 'templates'
  > {
  /** Answers a request to its API. */
  answer(request: HttpRequest): Promise<HttpAnswer>
  /** What a customer's phone shows now, and what can be tapped there, the newest first. */
  thread(customer: string): readonly ThreadItem[]
  choices(customer: string): readonly PhoneChoice[]
  codes(customer: string): string[]
  /** Deliveries that no 2xx has ended, the oldest first. */
  undelivered(): readonly Undelivered[]
  /** Whom a delivery is about, where it is about somebody. */
  customerOf(deliveryId: string): string | undefined
  /** Calls back with what is new or changed in a customer's thread, as it then is. */
  watchThreads(listener: (customer: string, item: ThreadItem) => void): void
  close(): void
}

export interface Undelivered {
  readonly id: string
  readonly event: string
  readonly customer: string | undefined
  /** Whether it is tried again. */
  readonly pending: boolean
  /** What its last attempt brought: a status, or why there was none. */
  readonly last: string | undefined
}

export function createInProcess(
  o: { token: string; secret: string; seed: number } & Required<
    Pick<EmulatorInternals, 'timers' | 'wall' | 'headerPrefix' | 'post' | 'assumptions'>
  >,
): InProcessEmulator {
  const { token, secret, seed, ...internals } = o
  const resolved = resolveOptions({ webhook: 'http://127.0.0.1/webhooks/messages', token, secret, seed, internals })
  const world = createWorld(resolved)
  const state = () => world.state
  return {
    ...createHandles(world, resolved.timers),
    answer: (request) => answerApi(state(), request).catch(answerTo),
    thread: (customer) => state().phones.thread(customer),
    choices: (customer) => choicesOn(state().phones.thread(customer)),
    codes: (customer) =>
      state()
        .phones.codes(customer)
        .map(({ code }) => code),
    undelivered: () =>
      state()
        .deliverer.list()
        .filter((delivery) => delivery.state !== 'delivered')
        .map(({ id, event, customer, state: stands, attempts }) => {
          const outcome = attempts.at(-1)?.outcome
          const last = outcome && ('status' in outcome ? String(outcome.status) : outcome.error)
          return { id, event, customer, pending: stands === 'pending', last }
        }),
    customerOf: (deliveryId) => state().deliverer.byId(deliveryId)?.customer,
    watchThreads: (listener) =>
      void world.happenings.watch(({ kind, ...about }) => {
        if (kind === 'thread') listener(about['customer'] as string, about['item'] as ThreadItem)
      }),
    close: () => world.close(),
  }
}
