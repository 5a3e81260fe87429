import { type HttpAnswer, type HttpRequest, Refusal } from './http/messages.ts'
import { answerTo } from './http/server.ts'
import { type ThreadItem, choicesOn } from './model/thread.ts'
import { type EmulatorInternals, type EmulatorOptions, resolveOptions } from './emulator-options.ts'
import { answerApi } from './service/api.ts'
import { type World, createWorld } from './world.ts'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { z } from 'zod'
import type { Timers } from '../base/clock.ts'
import { RECIPIENT_FORM } from '../service/endpoints.ts'
import { optionsInvalid, reasonOf } from '../base/errors.ts'
import { OPERATIONS } from './control/operations.ts'
import type { Operation } from './control/request.ts'
import { perform } from './control/control-routes.ts'
import type { EmulatedCustomer, Emulator } from './emulator-api.ts'
import type { Deliverer } from './deliver/deliverer.ts'
import { type Delivery, type DeliveryView, deliveryView } from './deliver/delivery.ts'
import type { FactSources } from './events/facts.ts'

export type InProcessEmulator = ReturnType<typeof createInProcess>

/** The service without a socket. The caller passes API requests in and receives deliveries. */
export function createInProcess(
  options: Required<Pick<EmulatorOptions, 'token' | 'secret' | 'seed' | 'assumptions'> & EmulatorInternals> &
    Pick<EmulatorOptions, 'payloads'> & {
      readonly facts: Readonly<Record<string, FactSources>>
      /** False: a message that fits no recorded payload throws. */
      readonly madeUp: boolean
    },
) {
  const { timers, wall, headerPrefix, post, facts, madeUp, ...rest } = options
  const internals = { timers, wall, headerPrefix, post }
  const resolved = resolveOptions({ webhook: 'http://127.0.0.1/webhooks/messages', ...rest, internals })
  const world = createWorld(resolved)
  const state = () => world.state
  state().payloads.map(facts, { madeUp })
  return {
    ...createInProcessApi(world, resolved.timers),
    answer: (request: HttpRequest): Promise<HttpAnswer> => answerApi(state(), request).catch(answerTo),
    thread: (customer: string) => state().phones.thread(customer),
    choices: (customer: string) => choicesOn(state().phones.thread(customer)),
    codes: (customer: string) =>
      state()
        .phones.codes(customer)
        .map(({ code }) => code),
    /**
     * The deliveries that were not answered with 2xx, oldest first. `last` is the last status, or the reason why there
     * was no answer.
     */
    undelivered: () =>
      state()
        .deliverer.list()
        .filter((delivery) => delivery.state !== 'delivered')
        .map(({ id, event, customer, state: standing, attempts }) => {
          const outcome = attempts.at(-1)?.outcome
          const last = outcome && ('status' in outcome ? String(outcome.status) : outcome.error)
          return { id, event, customer, pending: standing === 'pending', last }
        }),
    customerOf: (deliveryId: string) => state().deliverer.byId(deliveryId)?.customer,
    watchThreads: (listener: (customer: string, item: ThreadItem) => void) =>
      void world.timeline.watch((happening) => {
        if (happening.kind === 'thread') listener(happening.customer, happening.item)
      }),
    close: () => world.close(),
  }
}

type InProcessApi = Omit<
  Emulator,
  'url' | 'phoneNumberId' | 'accessToken' | 'signingSecret' | 'controlToken' | 'close' | typeof Symbol.asyncDispose
>

const DEFAULT_WAIT_MS = 5_000

export function createInProcessApi(world: World, timers: Timers): InProcessApi {
  // Read at each call, because a reset replaces the state.
  const state = () => world.state
  const ask = createRequester(world)
  const items = <T>(listed: Promise<{ readonly items: T }>) => listed.then((list) => list.items)
  return {
    clock: {
      advance: async (by, { tellApp } = {}) => void (await ask(OPERATIONS.changeClock, { advance: by, tellApp })),
      set: async (to) => void (await ask(OPERATIONS.changeClock, { now: to.toJSON() })),
      reset: async () => void (await ask(OPERATIONS.changeClock, { reset: true })),
    },
    customer: (digits, more = {}) => customerOf(world, digits, more),
    deliveries: {
      list: () => items(ask(OPERATIONS.listDeliveries)),
      retry: async () => state().deliverer.retry(),
      wait: (where, ms = DEFAULT_WAIT_MS) => waitForDelivery(state().deliverer, timers, where, ms),
    },
    subscriptions: {
      register: (subscription) => ask(OPERATIONS.register, subscription),
      list: () => items(ask(OPERATIONS.listSubscriptions)),
    },
    templates: { add: (template) => ask(OPERATIONS.createTemplate, template) },
    faults: {
      set: async (rules) => void (await ask(OPERATIONS.changeFaults, { rules })),
      clear: async () => void (await ask(OPERATIONS.changeFaults, { rules: [] })),
    },
    keys: { list: () => items(ask(OPERATIONS.listKeys)) },
    account: { get: () => ask(OPERATIONS.showAccount), set: (change) => ask(OPERATIONS.changeAccount, change) },
    assumptions: {
      get: () => ask(OPERATIONS.showAssumptions),
      set: (change) => ask(OPERATIONS.changeAssumptions, change),
    },
    events: { list: () => items(ask(OPERATIONS.listEvents)), fire: (firing) => ask(OPERATIONS.fireEvent, firing) },
    agent: { get: () => ask(OPERATIONS.showAgent), set: (change) => ask(OPERATIONS.changeAgent, change) },
    reset: () => ask(OPERATIONS.reset),
  }
}

type Ask = <In extends z.ZodType, Out>(
  operation: Operation<In, Out>,
  given?: object,
  value?: string,
) => Promise<Awaited<Out>>

/** Rejects with the library's own error instead of a refusal of the control API. */
function createRequester(world: World): Ask {
  return (operation, given = {}, value = '') =>
    perform(world, operation, { given, value }).catch((error: unknown) => {
      throw error instanceof Refusal ? optionsInvalid(error.message, { cause: error }) : error
    })
}

function customerOf(world: World, customer: string, more: { number?: string }): EmulatedCustomer {
  if (!RECIPIENT_FORM.test(customer))
    throw optionsInvalid(`A customer is 6 to 20 digits, got ${JSON.stringify(customer)}.`)
  const ask = createRequester(world)
  const write = (what: object) => ask(OPERATIONS.writeMessage, { ...what, ...more }, customer)
  return {
    says: (text) => write({ text }),
    taps: (id) => write({ tap: id }),
    async sendsMedia({ file, ...media }) {
      const kept = file && (await ask(OPERATIONS.keepFile, { name: basename(file), base64: await base64Of(file) }))
      return write({ media: { kind: 'image', url: SOME_MEDIA, ...kept, ...media } })
    },
    acts: (what) => write(what),
    reads: (messageId) => ask(OPERATIONS.moveStatus, { status: 'read', messageId }, customer),
    plays: (messageId) => ask(OPERATIONS.moveStatus, { status: 'played', messageId }, customer),
    setHandset: (change) => ask(OPERATIONS.setHandset, change, customer),
    thread: async () => structuredClone((await ask(OPERATIONS.showThread, {}, customer)).items),
    codes: async () => structuredClone((await ask(OPERATIONS.showCodes, {}, customer)).items),
  }
}

const SOME_MEDIA = 'https://media.example/file'

async function base64Of(file: string): Promise<string> {
  try {
    return await readFile(file, 'base64')
  } catch (error) {
    throw optionsInvalid(`${file} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}

function waitForDelivery(
  deliverer: Deliverer,
  timers: Timers,
  where: (delivery: DeliveryView) => boolean,
  ms: number,
): Promise<DeliveryView> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      for (const each of undo) each()
      settle()
    }
    const look = (delivery: Delivery) => {
      try {
        const view = deliveryView(delivery)
        if (where(view)) finish(() => resolve(view))
      } catch (error) {
        finish(() => reject(error))
      }
    }
    const closed = new Error('The emulator was closed or reset during a wait for a delivery.')
    const undo = [
      deliverer.watch(look),
      deliverer.whenClosed(() => finish(() => reject(closed))),
      timers.after(ms, () => finish(() => reject(timeout(deliverer, ms)))),
    ]
    for (const delivery of deliverer.list()) look(delivery)
  })
}

function timeout(deliverer: Deliverer, ms: number): Error {
  const seen = deliverer.list().map(({ event, state, attempts }) => `${event} (${state}, attempts: ${attempts.length})`)
  const error = new Error(
    `No matching delivery within ${ms} ms. There are ${seen.length}${seen.length > 0 ? `: ${seen.slice(-10).join(', ')}` : ''}.`,
  )
  error.name = 'TimeoutError'
  return error
}
