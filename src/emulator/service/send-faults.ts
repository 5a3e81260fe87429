import { errorOf, type SendFaultRule } from '../model/fault-rules.ts'
import { type Fault, type Faults, MAGIC_RECIPIENTS } from '../model/faults.ts'
import { type HttpAnswer, Refusal } from '../http/messages.ts'
import { NEEDS_WINDOW } from './approve.ts'
import type { Send } from './validation.ts'

export type SendFaultStrike = Fault<SendFaultRule>

type Addressed = Pick<Send, 'to' | 'type'>

/** The fault that strikes this send: an armed rule's, else the recipient's own. */
export function faultOfSend(faults: Faults, send: Addressed, isNewKey: () => boolean): SendFaultStrike | undefined {
  const armed = faults.take({ on: 'send', customer: send.to, fits: (rule) => fits(rule, send, isNewKey) })
  if (armed) return armed
  const rule = magicRule(send)
  return rule && { rule, giveBack: () => {} }
}

/** The rule that `faultOfSend` would give, without spending a charge. */
export function lookForFault(faults: Faults, send: Addressed, isNewKey: () => boolean): SendFaultRule | undefined {
  return faults.look({ on: 'send', customer: send.to, fits: (rule) => fits(rule, send, isNewKey) }) ?? magicRule(send)
}

function magicRule(send: Addressed): SendFaultRule | undefined {
  const rule = MAGIC_RECIPIENTS.get(send.to)?.rule
  return rule && fits(rule, send, () => false) ? rule : undefined
}

/** A template never meets a closed window (GEN-05), and only a new key can be held or forgotten. */
function fits(rule: SendFaultRule, send: Addressed, isNewKey: () => boolean): boolean {
  if (rule.do === 'hold_key' || rule.do === 'forget_key') return isNewKey()
  return NEEDS_WINDOW[send.type] || rule.do !== 'status' || errorOf(rule)?.code !== 'outside_messaging_window'
}

/** Tells whether a fault strikes before acceptance, so that nothing is sent. */
export function isBeforeAcceptance({ do: fault }: SendFaultRule): boolean {
  return fault === 'status' || fault === 'cut_before' || fault === 'time_out'
}

/** The answer to a send that a fault keeps from being sent. */
export function answerUnsent(rule: SendFaultRule): HttpAnswer {
  if (rule.do !== 'status') return { status: 500, body: '', spoilt: rule.do === 'time_out' ? 'never' : 'cut' }
  throw refusalOf(rule)
}

export function refusalOf(rule: SendFaultRule): Refusal {
  const error = errorOf(rule)
  if (error === undefined) throw new TypeError('a status rule without an error of the service')
  const isMagic = [...MAGIC_RECIPIENTS.values()].some((recipient) => recipient.rule === rule)
  const cause = isMagic ? 'its recipient always gets this answer' : `you armed \`${rule.do}\``
  return new Refusal(error.status, {
    code: error.code,
    message: `The emulator was told to answer this send so: ${cause}.`,
  })
}

const NO_JSON = '<html><body>200 OK</body></html>'

/** The answer to an accepted send, as far as the fault lets it through. */
export function spoilAnswer(answer: HttpAnswer, rule: SendFaultRule): HttpAnswer {
  if (rule.do === 'unreadable_answer') return { ...answer, body: rule.answer ?? NO_JSON }
  if (rule.do === 'cut_after') return { ...answer, spoilt: 'reset' }
  if (rule.do === 'late_answer') return { ...answer, spoilt: 'never' }
  if (rule.do === 'half_answer') return { ...answer, spoilt: 'half' }
  return { ...answer, spoilt: 'cut' }
}
