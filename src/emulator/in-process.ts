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

/** The service without a socket: `answer` accepts API requests, and `post` gets the deliveries. */
export function createInProcess(
  options: Required<Pick<EmulatorOptions, 'token' | 'secret' | 'seed' | 'assumptions'> & EmulatorInternals> &
    Pick<EmulatorOptions, 'payloads'> & {
      readonly facts: Readonly<Record<string, FactSources>>
      /** If false, a customer's message that fits no fixture of `payloads` throws. */
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
    /** Oldest first. `last` is the status of the last answer, or the reason why there was none. */
    undelivered: () =>
      state()
        .deliverer.history.list()
        .filter((delivery) => delivery.state !== 'delivered')
        .map((delivery) => {
          const outcome = delivery.attempts.at(-1)?.outcome
          const last = outcome && ('status' in outcome ? String(outcome.status) : outcome.error)
          const { id, event, customer } = delivery
          return { id, event, customer, pending: delivery.state === 'pending', last }
        }),
    customerOf: (deliveryId: string) => state().deliverer.history.byId(deliveryId)?.customer,
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
  const run = createRunner(world)
  const items = <T>(listed: Promise<{ readonly items: T }>) => listed.then((list) => list.items)
  return {
    clock: {
      advance: async (by, { tellApp } = {}) => void (await run(OPERATIONS.changeClock, { advance: by, tellApp })),
      set: async (to) => void (await run(OPERATIONS.changeClock, { now: to.toJSON() })),
      reset: async () => void (await run(OPERATIONS.changeClock, { reset: true })),
    },
    customer: (digits, more = {}) => customerOf(world, digits, more),
    deliveries: {
      list: () => items(run(OPERATIONS.listDeliveries)),
      retry: async () => state().schedule.hasten(),
      wait: (where, ms = DEFAULT_WAIT_MS) => waitForDelivery(state().deliverer, timers, where, ms),
    },
    subscriptions: {
      register: (subscription) => run(OPERATIONS.register, subscription),
      list: () => items(run(OPERATIONS.listSubscriptions)),
    },
    templates: { add: (template) => run(OPERATIONS.createTemplate, template) },
    faults: {
      set: async (rules) => void (await run(OPERATIONS.changeFaults, { rules })),
      clear: async () => void (await run(OPERATIONS.changeFaults, { rules: [] })),
    },
    keys: { list: () => items(run(OPERATIONS.listKeys)) },
    account: { get: () => run(OPERATIONS.showAccount), set: (change) => run(OPERATIONS.changeAccount, change) },
    assumptions: {
      get: () => run(OPERATIONS.showAssumptions),
      set: (change) => run(OPERATIONS.changeAssumptions, change),
    },
    events: { list: () => items(run(OPERATIONS.listEvents)), fire: (firing) => run(OPERATIONS.fireEvent, firing) },
    agent: { get: () => run(OPERATIONS.showAgent), set: (change) => run(OPERATIONS.changeAgent, change) },
    reset: () => run(OPERATIONS.reset),
  }
}

type Run = <In extends z.ZodType, Out>(
  operation: Operation<In, Out>,
  given?: object,
  value?: string,
) => Promise<Awaited<Out>>

/** Runs operations of the control API. Rejects with `options_invalid` if one is refused. */
function createRunner(world: World): Run {
  return (operation, given = {}, value = '') =>
    perform(world, operation, { given, value }).catch((error: unknown) => {
      throw error instanceof Refusal ? optionsInvalid(error.message, { cause: error }) : error
    })
}

function customerOf(world: World, customer: string, more: { number?: string }): EmulatedCustomer {
  if (!RECIPIENT_FORM.test(customer))
    throw optionsInvalid(`A customer is 6 to 20 digits, got ${JSON.stringify(customer)}.`)
  const run = createRunner(world)
  const write = (what: object) => run(OPERATIONS.writeMessage, { ...what, ...more }, customer)
  return {
    says: (text) => write({ text }),
    taps: (id) => write({ tap: id }),
    async sendsMedia({ file, ...media }) {
      const kept = file && (await run(OPERATIONS.keepFile, { name: basename(file), base64: await base64Of(file) }))
      return write({ media: { kind: 'image', url: SOME_MEDIA, ...kept, ...media } })
    },
    acts: (what) => write(what),
    reads: (messageId) => run(OPERATIONS.moveStatus, { status: 'read', messageId }, customer),
    plays: (messageId) => run(OPERATIONS.moveStatus, { status: 'played', messageId }, customer),
    setHandset: (change) => run(OPERATIONS.setHandset, change, customer),
    thread: async () => structuredClone((await run(OPERATIONS.showThread, {}, customer)).items),
    codes: async () => structuredClone((await run(OPERATIONS.showCodes, {}, customer)).items),
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
    const check = (delivery: Delivery) => {
      try {
        const view = deliveryView(delivery)
        if (where(view)) finish(() => resolve(view))
      } catch (error) {
        finish(() => reject(error))
      }
    }
    const closed = new Error('The emulator was closed or reset during a wait for a delivery.')
    const undo = [
      deliverer.history.watch(check),
      deliverer.whenClosed(() => finish(() => reject(closed))),
      timers.after(ms, () => finish(() => reject(timeout(deliverer, ms)))),
    ]
    for (const delivery of deliverer.history.list()) check(delivery)
  })
}

function timeout(deliverer: Deliverer, ms: number): Error {
  const seen = deliverer.history
    .list()
    .map(({ event, state, attempts }) => `${event} (${state}, attempts: ${attempts.length})`)
  const error = new Error(
    `No matching delivery within ${ms} ms. There are ${seen.length}${seen.length > 0 ? `: ${seen.slice(-10).join(', ')}` : ''}.`,
  )
  error.name = 'TimeoutError'
  return error
}
