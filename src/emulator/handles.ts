import type { Timers } from '../base/clock.ts'
import type { Duration } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import { accountSchema, applyToAccount, showAccount } from './control/account.ts'
import { showAssumptions, switchTo } from './control/assumptions.ts'
import { advance, resetClock, setTo } from './control/clock.ts'
import { recipient, writer } from './control/customers.ts'
import { explainQuestion, questionSchema } from './control/explain.ts'
import { faultRulesSchema } from './control/faults.ts'
import { checked } from './control/request.ts'
import { listSubscriptions, registerEndpoint, registrationSchema } from './control/subscriptions.ts'
import { newTemplateSchema } from './control/template-form.ts'
import { addTemplate } from './control/templates.ts'
import { viewOf } from './deliver/delivery.ts'
import { waitForDelivery } from './deliver/wait.ts'
import type { Emulator } from './emulator.ts'
import { Refusal } from './http/messages.ts'
import { writeAs, type Writing } from './phone/write.ts'
import type { State } from './state.ts'
import { assumptionsSchema } from './switches.ts'

type Handles = Omit<
  Emulator,
  | 'url'
  | 'phoneNumberId'
  | 'accessToken'
  | 'signingSecret'
  | 'controlToken'
  | 'reset'
  | 'close'
  | typeof Symbol.asyncDispose
>

const WAIT_MS = 5_000

/** What a test in the same process holds: the control API without HTTP. Asks for the state anew each time: a reset replaces it. */
export function createHandles(state: () => State, timers: Timers): Handles {
  return {
    clock: {
      advance: async (by) => refusing(() => advance(state(), by as Duration)),
      set: async (to) => refusing(() => setTo(state(), to.getTime(), to)),
      reset: async () => resetClock(state()),
    },
    customer(digits, more = {}) {
      const customer = refusing(() => recipient(digits))
      const write = (what: Writing) => refusing(() => writeAs(writer(customer), { ...what, ...more }, state()))
      return {
        says: async (text) => write({ text }),
        taps: async (id) => write({ tap: id }),
        thread: async () => structuredClone(state().phones.thread(customer)),
        codes: async () => structuredClone(state().phones.codes(customer)),
      }
    },
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
      add: async (template) => refusing(() => addTemplate(state(), checked(template, newTemplateSchema))),
    },
    faults: {
      set: async (rules) => refusing(() => state().faults.set(checked({ rules }, faultRulesSchema).rules)),
      clear: async () => state().faults.set([]),
    },
    keys: {
      list: async () => state().keys.list(),
      release: async (key) => state().keys.release(key),
      forget: async (key) => state().keys.forget(key),
    },
    account: {
      get: async () => showAccount(state()),
      set: async (change) => refusing(() => applyToAccount(state(), checked(change, accountSchema))),
    },
    assumptions: {
      get: async () => structuredClone(showAssumptions(state())),
      set: async (change) => refusing(() => structuredClone(switchTo(state(), checked(change, assumptionsSchema)))),
    },
    explain: async (question) => refusing(() => explainQuestion(state(), checked(question, questionSchema))),
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
