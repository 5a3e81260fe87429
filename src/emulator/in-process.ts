import type { HttpAnswer, HttpRequest } from './http/messages.ts'
import { answerTo } from './http/server.ts'
import { createInProcessApi } from './in-process-api.ts'
import { choicesOn, type PhoneChoice, type ThreadItem } from './model/thread.ts'
import { type EmulatorInternals, type EmulatorOptions, resolveOptions } from './options.ts'
import { answerApi } from './service/api.ts'
import { createWorld } from './world.ts'

/** The service without a socket: its maker hands it the requests to its API, and is handed its deliveries. */
export interface InProcessEmulator
  extends Pick<
    ReturnType<typeof createInProcessApi>,
    'account' | 'assumptions' | 'customer' | 'events' | 'faults' | 'templates'
  > {
  answer(request: HttpRequest): Promise<HttpAnswer>
  /** The items that a customer's phone shows now. */
  thread(customer: string): readonly ThreadItem[]
  /** The options that can be tapped on a customer's phone, the newest message first. */
  choices(customer: string): readonly PhoneChoice[]
  codes(customer: string): string[]
  /** The deliveries that no 2xx has ended, the oldest first. */
  undelivered(): readonly Undelivered[]
  /** The customer that a delivery is about, if any. */
  customerOf(deliveryId: string): string | undefined
  /** Calls back with each item that is new or changed in a customer's thread, as it is then. */
  watchThreads(listener: (customer: string, item: ThreadItem) => void): void
  close(): void
}

interface Undelivered {
  readonly id: string
  readonly event: string
  readonly customer: string | undefined
  /** The delivery will be tried again. */
  readonly pending: boolean
  /** The outcome of its last attempt: a status, or why there was no answer. */
  readonly last: string | undefined
}

export function createInProcess(
  options: Required<Pick<EmulatorOptions, 'token' | 'secret' | 'seed' | 'assumptions'> & EmulatorInternals> &
    Pick<EmulatorOptions, 'payloads'>,
): InProcessEmulator {
  const { timers, wall, headerPrefix, post, ...rest } = options
  const internals = { timers, wall, headerPrefix, post }
  const resolved = resolveOptions({ webhook: 'http://127.0.0.1/webhooks/messages', ...rest, internals })
  const world = createWorld(resolved)
  const state = () => world.state
  return {
    ...createInProcessApi(world, resolved.timers),
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
        .map(({ id, event, customer, state: standing, attempts }) => {
          const outcome = attempts.at(-1)?.outcome
          const last = outcome && ('status' in outcome ? String(outcome.status) : outcome.error)
          return { id, event, customer, pending: standing === 'pending', last }
        }),
    customerOf: (deliveryId) => state().deliverer.byId(deliveryId)?.customer,
    watchThreads: (listener) =>
      void world.timeline.watch(({ kind, ...about }) => {
        if (kind === 'thread') listener(about['customer'] as string, about['item'] as ThreadItem)
      }),
    close: () => world.close(),
  }
}
