import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Timers } from '../base/clock.ts'
import type { Duration } from '../base/duration.ts'
import { optionsInvalid, reasonOf, SwitchhookError } from '../base/errors.ts'
import { orderSchema, type Writing, writingSchema } from './actors/customer.ts'
import { statusSchema } from './actors/handset.ts'
import { accountSchema, changeAccount, showAccount } from './control/account.ts'
import { advanceClock, resetClock, setClock, tellAppTheTime } from './control/clock.ts'
import { handsetChangeSchema, moveStatus, payOrder, recipient, setHandset, writeMessage } from './control/customers.ts'
import { agentChangeSchema, changeAgent, showAgent } from './control/dashboard.ts'
import { fireEvent, firingSchema, listEvents } from './control/events.ts'
import { changeAssumptions, showAssumptions } from './control/fidelity.ts'
import { logChange } from './control/log.ts'
import { checked } from './control/request.ts'
import { changeFaults, explainSend, faultRulesSchema, questionSchema } from './control/sends.ts'
import { listSubscriptions, register, registrationSchema } from './control/subscriptions.ts'
import { createTemplate, newTemplateSchema } from './control/templates.ts'
import { deliveryView } from './deliver/delivery.ts'
import { waitForDelivery } from './deliver/wait.ts'
import type { EmulatedCustomer, Emulator } from './emulator.ts'
import { Refusal } from './http/messages.ts'
import { assumptionsSchema } from './model/assumptions.ts'
import type { World } from './world.ts'

type InProcessApi = Omit<
  Emulator,
  'url' | 'phoneNumberId' | 'accessToken' | 'signingSecret' | 'controlToken' | 'close' | typeof Symbol.asyncDispose
>

const DEFAULT_WAIT_MS = 5_000

/** The control API as methods, for tests in the same process. Each reads the state anew, since a reset replaces it. */
export function createInProcessApi(world: World, timers: Timers): InProcessApi {
  const state = () => world.state
  /** Makes a change as a route of the control API does, and logs it as that route would. */
  const changing = <T>(route: string, given: object, run: () => T): T => {
    const result = withOwnErrors(run)
    logChange(world.timeline, { method: 'PUT', route, status: 200 }, given)
    return result
  }
  return {
    clock: {
      advance: async (by, { tellApp = false } = {}) => {
        withOwnErrors(() => advanceClock(state(), by as Duration))
        if (tellApp) await tellAppTheTime(state())
      },
      set: async (to) => withOwnErrors(() => setClock(state(), to.getTime(), to)),
      reset: async () => resetClock(state()),
    },
    customer: (digits, more = {}) => customerOf(world, digits, more),
    deliveries: {
      list: async () => state().deliverer.list().map(deliveryView),
      retry: async () => state().deliverer.retry(),
      wait: (where, ms = DEFAULT_WAIT_MS) => waitForDelivery(state().deliverer, timers, where, ms),
    },
    subscriptions: {
      register: async (subscription) =>
        withOwnErrors(() => register(state(), checked(subscription, registrationSchema))),
      list: async () => listSubscriptions(state()).items,
    },
    templates: {
      add: async (template) =>
        changing('templates', template, () => createTemplate(state(), checked(template, newTemplateSchema))),
    },
    faults: {
      set: async (rules) =>
        changing('faults', { rules }, () => void changeFaults(state(), checked({ rules }, faultRulesSchema))),
      clear: async () => changing('faults', { rules: [] }, () => state().faults.set([])),
    },
    keys: {
      list: async () => state().keys.list(),
      release: async (key) => state().keys.release(key),
      forget: async (key) => state().keys.forget(key),
    },
    account: {
      get: async () => showAccount(state()),
      set: async (change) => changing('account', change, () => changeAccount(state(), checked(change, accountSchema))),
    },
    assumptions: {
      get: async () => structuredClone(showAssumptions(state())),
      set: async (change) =>
        changing('assumptions', change, () =>
          structuredClone(changeAssumptions(state(), checked(change, assumptionsSchema))),
        ),
    },
    events: {
      list: async () => listEvents(state()).items,
      fire: async (firing) => withOwnErrors(() => fireEvent(state(), checked(firing, firingSchema))),
    },
    agent: {
      get: async () => showAgent(state()),
      set: async (change) => changing('agent', change, () => changeAgent(state(), checked(change, agentChangeSchema))),
    },
    reset: async () => world.reset(),
    explain: async (question) => withOwnErrors(() => explainSend(state(), checked(question, questionSchema))),
  }
}

function customerOf(world: World, digits: string, more: { number?: string }): EmulatedCustomer {
  const state = () => world.state
  const customer = withOwnErrors(() => recipient(digits))
  const write = (what: Writing) =>
    withOwnErrors(() => writeMessage(state(), checked({ ...what, ...more }, writingSchema), customer, world))
  const move = (status: 'read' | 'played', messageId: string | undefined) =>
    withOwnErrors(() => moveStatus(state(), checked({ status, messageId }, statusSchema), customer))
  return {
    says: async (text) => write({ text }),
    taps: async (id) => write({ tap: id }),
    async sendsMedia({ file, ...media }) {
      const kept = file === undefined ? {} : await keepFile(world, file)
      return write({ media: { kind: 'image', ...kept, ...media } })
    },
    reads: async (messageId) => move('read', messageId),
    plays: async (messageId) => move('played', messageId),
    setHandset: async (change) =>
      withOwnErrors(() => setHandset(state(), checked(change, handsetChangeSchema), customer)),
    pays: async (order) =>
      withOwnErrors(() => payOrder(state(), checked({ ...order, ...more }, orderSchema), customer)),
    thread: async () => structuredClone(state().phones.thread(customer)),
    codes: async () => structuredClone(state().phones.codes(customer)),
  }
}

async function keepFile({ media }: World, file: string) {
  try {
    const bytes = await readFile(file)
    return withOwnErrors(() => media.keep(basename(file), bytes))
  } catch (error) {
    if (error instanceof SwitchhookError) throw error
    throw optionsInvalid(`${file} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}

/** Throws a refusal of the control API as the library's own error. */
function withOwnErrors<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof Refusal) throw optionsInvalid(error.message, { cause: error })
    throw error
  }
}
