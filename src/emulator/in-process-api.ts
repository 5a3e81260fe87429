import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Timers } from '../base/clock.ts'
import type { Duration } from '../base/duration.ts'
import { optionsInvalid, reasonOf, SwitchhookError } from '../base/errors.ts'
import { customerPays, opensWindow, orderSchema, type Writing, writingSchema } from './actors/customer.ts'
import { moveMessages, statusSchema } from './actors/handset.ts'
import { accountSchema, applyToAccount, showAccount } from './control/account.ts'
import { advanceClock, resetClock, setClock, tellAppTheTime } from './control/clock.ts'
import { changeHandset, handsetChangeSchema, recipient, writeAs, writer } from './control/customers.ts'
import { agentChangeSchema, setAgent, showAgent } from './control/dashboard.ts'
import { fire, firingSchema, listEvents } from './control/events.ts'
import { setAssumptions, showAssumptions } from './control/fidelity.ts'
import { logChange } from './control/log.ts'
import { checked, numberByIdOrFirst } from './control/request.ts'
import { explainQuestion, faultRulesSchema, questionSchema } from './control/sends.ts'
import { listSubscriptions, registerEndpoint, registrationSchema } from './control/subscriptions.ts'
import { addTemplate, newTemplateSchema } from './control/templates.ts'
import { deliveryView } from './deliver/delivery.ts'
import { waitForDelivery } from './deliver/wait.ts'
import type { EmulatedCustomer, Emulator } from './emulator.ts'
import { Refusal } from './http/messages.ts'
import { assumptionsSchema } from './model/assumptions.ts'
import { snapshotSchema } from './snapshot.ts'
import { snapshotOf } from './state.ts'
import type { World } from './world.ts'

interface InProcessApi
  extends Omit<
    Emulator,
    'url' | 'phoneNumberId' | 'accessToken' | 'signingSecret' | 'controlToken' | 'close' | typeof Symbol.asyncDispose
  > {
  /** Takes it that a customer has written just now, by a message that came to the bot another way. */
  hasWritten(customer: string): void
}

const DEFAULT_WAIT_MS = 5_000

/** The control API as methods, for tests in the same process. Each reads the state anew, since a reset replaces it. */
export function createInProcessApi(world: World, timers: Timers): InProcessApi {
  const state = () => world.state
  /** Makes a change as a route of the control API does, and logs it as that route would. */
  const changing = <T>(route: string, given: object, run: () => T): T => {
    const result = withOwnErrors(run)
    logChange(world.timeline, { method: 'PUT', route, status: 200 }, given)
    world.save()
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
    hasWritten: (customer) => opensWindow(state(), numberByIdOrFirst(state().account, undefined), customer),
    deliveries: {
      list: async () => state().deliverer.list().map(deliveryView),
      retry: async () => state().deliverer.retry(),
      wait: (where, ms = DEFAULT_WAIT_MS) => waitForDelivery(state().deliverer, timers, where, ms),
    },
    subscriptions: {
      register: async (subscription) =>
        withOwnErrors(() => registerEndpoint(state(), checked(subscription, registrationSchema))),
      list: async () => listSubscriptions(state()).items,
    },
    templates: {
      add: async (template) =>
        changing('templates', template, () => addTemplate(state(), checked(template, newTemplateSchema))),
    },
    faults: {
      set: async (rules) =>
        changing('faults', { rules }, () => state().faults.set(checked({ rules }, faultRulesSchema).rules)),
      clear: async () => changing('faults', { rules: [] }, () => state().faults.set([])),
    },
    keys: {
      list: async () => state().keys.list(),
      release: async (key) => state().keys.release(key),
      forget: async (key) => state().keys.forget(key),
    },
    account: {
      get: async () => showAccount(state()),
      set: async (change) => changing('account', change, () => applyToAccount(state(), checked(change, accountSchema))),
    },
    assumptions: {
      get: async () => structuredClone(showAssumptions(state())),
      set: async (change) =>
        changing('assumptions', change, () =>
          structuredClone(setAssumptions(state(), checked(change, assumptionsSchema))),
        ),
    },
    events: {
      list: async () => listEvents(state()).items,
      fire: async (firing) => withOwnErrors(() => fire(state(), checked(firing, firingSchema))),
    },
    agent: {
      get: async () => showAgent(state()),
      set: async (change) => changing('agent', change, () => setAgent(state(), checked(change, agentChangeSchema))),
    },
    snapshot: async () => snapshotOf(state()),
    restore: async (snapshot) => withOwnErrors(() => void world.renew(checked(snapshot, snapshotSchema))),
    reset: async () => void world.renew(),
    explain: async (question) => withOwnErrors(() => explainQuestion(state(), checked(question, questionSchema))),
  }
}

function customerOf(world: World, digits: string, more: { number?: string }): EmulatedCustomer {
  const state = () => world.state
  const customer = withOwnErrors(() => recipient(digits))
  const phone = () => state().phones.of(customer)
  const write = (what: Writing) =>
    withOwnErrors(() => writeAs(world, writer(customer), checked({ ...what, ...more }, writingSchema)))
  const move = (status: 'read' | 'played', messageId: string | undefined) =>
    withOwnErrors(() => moveMessages(state(), phone(), checked({ status, messageId }, statusSchema)))
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
      withOwnErrors(() => changeHandset(state(), customer, checked(change, handsetChangeSchema))),
    pays: async (order) =>
      withOwnErrors(() => {
        const number = numberByIdOrFirst(state().account, more.number)
        return customerPays(state(), number, customer, checked({ ...order }, orderSchema))
      }),
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
