import type { Fault, Faults } from '../model/faults.ts'
import { MAGIC_RECIPIENTS } from '../model/faults.ts'
import { errorOf, type SendFaultRule } from '../model/fault-rules.ts'
import { type HttpAnswer, Refusal } from '../http/messages.ts'
import type { Send } from './validation.ts'
import { NEEDS_WINDOW } from './approve.ts'

/** What goes wrong with a send. */
export type SendTrouble = Fault<SendFaultRule>

type Sent = Pick<Send, 'to' | 'type'>

/** The rule that strikes this send: an armed one, else the recipient's own. */
export function takeTrouble(faults: Faults, send: Sent, isNewKey: () => boolean): SendTrouble | undefined {
  const armed = faults.take({ on: 'send', customer: send.to, fits: (rule) => fits(rule, send, isNewKey) })
  if (armed) return armed
  const rule = magicRule(send)
  return rule && { rule, giveBack: () => {} }
}

/** The rule that `takeTrouble` would give, with nothing spent. */
export function lookForTrouble(faults: Faults, send: Sent, isNewKey: () => boolean): SendFaultRule | undefined {
  return faults.look({ on: 'send', customer: send.to, fits: (rule) => fits(rule, send, isNewKey) }) ?? magicRule(send)
}

function magicRule(send: Sent): SendFaultRule | undefined {
  const rule = MAGIC_RECIPIENTS.get(send.to)?.rule
  return rule && fits(rule, send, () => false) ? rule : undefined
}

/** A template never meets a closed window (GEN-05), and only a new key can be held or forgotten. */
function fits(rule: SendFaultRule, send: Sent, isNewKey: () => boolean): boolean {
  if (rule.do === 'hold_key' || rule.do === 'forget_key') return isNewKey()
  return NEEDS_WINDOW[send.type] || rule.do !== 'status' || errorOf(rule)?.code !== 'outside_messaging_window'
}

/** Whether nothing is sent. */
export function isBefore({ do: fault }: SendFaultRule): boolean {
  return fault === 'status' || fault === 'cut_before' || fault === 'time_out'
}

/** What becomes of a send that is not accepted. */
export function answerBefore(rule: SendFaultRule): HttpAnswer {
  if (rule.do !== 'status') return { status: 500, body: '', spoilt: rule.do === 'time_out' ? 'never' : 'cut' }
  throw failureOf(rule)
}

/** The error that a rule answers with. */
export function failureOf(rule: SendFaultRule): Refusal {
  const error = errorOf(rule)
  if (error === undefined) throw new TypeError('a status rule without an error of the service')
  return new Refusal(error.status, { code: error.code, message: 'The emulator was told to answer this send so.' })
}

const NO_JSON = '<html><body>200 OK</body></html>'

/** The answer to an accepted send, as far as it gets. */
export function spoilt(answer: HttpAnswer, rule: SendFaultRule): HttpAnswer {
  if (rule.do === 'unreadable_answer') return { ...answer, body: rule.answer ?? NO_JSON }
  if (rule.do === 'cut_after') return { ...answer, spoilt: 'reset' }
  if (rule.do === 'late_answer') return { ...answer, spoilt: 'never' }
  if (rule.do === 'half_answer') return { ...answer, spoilt: 'half' }
  return { ...answer, spoilt: 'cut' }
}
