import type { Timers } from '../base/clock.ts'
import type { Duration } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import { accountSchema, applyToAccount, showAccount } from './control/account.ts'
import { showAssumptions, switchTo } from './control/fidelity.ts'
import { agentChangeSchema, setAgent, showAgent } from './control/dashboard.ts'
import { advance, resetClock, setTo } from './control/clock.ts'
import { recipient, writer } from './control/customers.ts'
import { listEvents } from './control/events.ts'
import { explainQuestion, questionSchema } from './control/sends.ts'
import { faultRulesSchema } from './control/sends.ts'
import { handsetChangeSchema, switchHandset } from './control/customers.ts'
import { checked } from './control/request.ts'
import { listSubscriptions, registerEndpoint, registrationSchema } from './control/subscriptions.ts'
import { newTemplateSchema } from './control/templates.ts'
import { addTemplate } from './control/templates.ts'
import { tellChange } from './control/log.ts'
import { viewOf } from './deliver/delivery.ts'
import { tellTime } from './control/clock.ts'
import { waitForDelivery } from './deliver/wait.ts'
import type { EmulatedCustomer, Emulator } from './emulator.ts'
import { fire, firingSchema } from './control/events.ts'
import { orderSchema, payOrder } from './actors/customer.ts'
import { Refusal } from './http/messages.ts'
import { moveOn, statusSchema } from './actors/handset.ts'
import { writeAs, type Writing, writingSchema } from './actors/customer.ts'
import { numberByIdOrFirst } from './model/account.ts'
import { snapshotSchema } from './snapshot.ts'
import { snapshotOf } from './take-snapshot.ts'
import type { State } from './state.ts'
import { assumptionsSchema } from './model/assumptions.ts'
import type { World } from './world.ts'

type Handles = Omit<
  Emulator,
  'url' | 'phoneNumberId' | 'accessToken' | 'signingSecret' | 'controlToken' | 'close' | typeof Symbol.asyncDispose
>

const WAIT_MS = 5_000

/** What a test in the same process holds: the control API without HTTP. Asks for the state anew each time: a reset replaces it. */
export function createHandles(world: World, timers: Timers): Handles {
  const state = () => world.state
  /** Does what a route of the control API does, and says so as that does. */
  const changing = <T>(route: string, given: object, run: () => T): T => {
    const done = refusing(run)
    tellChange(world.happenings, { method: 'PUT', route, status: 200 }, given)
    world.save()
    return done
  }
  return {
    clock: {
      advance: async (by, { tellApp = false } = {}) => {
        refusing(() => advance(state(), by as Duration))
        if (tellApp) await tellTime(state())
      },
      set: async (to) => refusing(() => setTo(state(), to.getTime(), to)),
      reset: async () => resetClock(state()),
    },
    customer: (digits, more = {}) => customerOf(state, digits, more),
    deliveries: {
      list: async () => state().deliverer.list().map(viewOf),
      wait: (where, ms = WAIT_MS) => waitForDelivery(state().deliverer, timers, where, ms),
    },
    subscriptions: {
      register: async (subscription) =>
        refusing(() => registerEndpoint(state(), checked(subscription, registrationSchema))),
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
        changing('assumptions', change, () => structuredClone(switchTo(state(), checked(change, assumptionsSchema)))),
    },
    events: {
      list: async () => listEvents(state()).items,
      fire: async (firing) => refusing(() => fire(state(), checked(firing, firingSchema))),
    },
    agent: {
      get: async () => showAgent(state()),
      set: async (change) => changing('agent', change, () => setAgent(state(), checked(change, agentChangeSchema))),
    },
    snapshot: async () => snapshotOf(state()),
    restore: async (snapshot) => refusing(() => void world.renew(checked(snapshot, snapshotSchema))),
    reset: async () => void world.renew(),
    explain: async (question) => refusing(() => explainQuestion(state(), checked(question, questionSchema))),
  }
}

function customerOf(state: () => State, digits: string, more: { number?: string }): EmulatedCustomer {
  const customer = refusing(() => recipient(digits))
  const phone = () => state().phones.of(customer)
  const write = (what: Writing) =>
    refusing(() => writeAs(writer(customer), checked({ ...what, ...more }, writingSchema), state()))
  const move = (status: 'read' | 'played', messageId: string | undefined) =>
    refusing(() => moveOn(state(), phone(), checked({ status, messageId }, statusSchema)))
  return {
    says: async (text) => write({ text }),
    taps: async (id) => write({ tap: id }),
    sendsMedia: async (media) => write({ media }),
    reads: async (messageId) => move('read', messageId),
    plays: async (messageId) => move('played', messageId),
    setHandset: async (change) =>
      refusing(() => switchHandset(state(), customer, checked(change, handsetChangeSchema))),
    pays: async (order) =>
      refusing(() =>
        payOrder(
          state(),
          numberByIdOrFirst(state().account, more.number),
          customer,
          checked({ ...order }, orderSchema),
        ),
      ),
    thread: async () => structuredClone(state().phones.thread(customer)),
    codes: async () => structuredClone(state().phones.codes(customer)),
  }
}

/** What the control API answers with an error is thrown here, under the library's own error. */
function refusing<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof Refusal) throw new SwitchhookError('options_invalid', error.message, { cause: error })
    throw error
  }
}
