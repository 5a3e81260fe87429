import { PHONE_NUMBER_ID, ruleOf } from '../../contract/index.ts'
import { type JsonObject, Refusal } from '../http/messages.ts'
import { SEND_FAULTS } from '../model/faults.ts'
import type { Model } from '../model/model.ts'
import { approve } from './approve.ts'
import { CHECKS, type CheckName, type OnCheck, admit, readSend } from './checks.ts'
import { isBeforeAcceptance, keyRefusal, lookForFault, refusalOf } from './send.ts'

interface Question {
  readonly send: JsonObject
  readonly accessToken: string
  readonly phoneNumberId?: string | undefined
  readonly idempotencyKey?: string | undefined
}

export type Explanation = {
  readonly accepted: boolean
  /** The checks that were made, in their order; then the others, with `passed` null. */
  readonly checks: readonly {
    readonly check: string
    readonly asks: string
    readonly rule: string
    readonly passed: boolean | null
  }[]
  /** The API's answer; null if a fault leaves no answer. */
  readonly answer: { readonly status: number; readonly body?: Readonly<Record<string, unknown>> } | null
  readonly retry: { readonly helps: boolean; readonly how: string }
  /** Remarks on what else will happen to the send, in words. */
  readonly notes: readonly string[]
}

/** Tells what would become of a send: makes the checks of the send path itself, changes nothing and sends nothing. */
export function explain(model: Model, question: Question): Explanation {
  const notes: string[] = []
  const made: CheckName[] = []
  try {
    const unanswered = checkSend(model, question, (check) => made.push(check), notes)
    if (unanswered) return { accepted: false, checks: listChecks(made, true), answer: null, retry: REPEAT, notes }
    return { accepted: true, checks: listChecks(made, false), answer: { status: 200 }, retry: NOT_NEEDED, notes }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { status, body, code } = error
    const retry = retryOf(status, code)
    return { accepted: false, checks: listChecks(made, true), answer: { status, body }, retry, notes }
  }
}

/** Throws the refusal; answers whether a fault leaves the send without an answer and unsent. */
function checkSend(model: Model, question: Question, onCheck: OnCheck, notes: string[]): boolean {
  const { send: json, accessToken, phoneNumberId, idempotencyKey: key } = question
  const named = phoneNumberId === undefined ? {} : { [PHONE_NUMBER_ID.toLowerCase()]: phoneNumberId }
  const number = admit(model.account, { authorization: `Bearer ${accessToken}`, ...named }, onCheck)
  onCheck('body')
  const send = readSend(json, model.templates.of(number.id), model.assumptions)
  const body = { raw: Buffer.from(JSON.stringify(json)), json }
  const claim = key === undefined ? 'first' : model.keys.look(number.id, key, body)
  onCheck('fault')
  const rule = lookForFault(model.faults, send, () => key !== undefined && claim === 'first')
  if (rule) notes.push(`A fault is armed: ${SEND_FAULTS[rule.do]}.`)
  if (rule?.do === 'status') throw refusalOf(rule)
  if (rule && isBeforeAcceptance(rule)) return true
  onCheck('key')
  if (claim === 'in_flight' || claim === 'reused') throw keyRefusal(claim)
  if (claim === 'settled') notes.push('The key is settled: the first answer is replayed, and nothing is sent again.')
  else approve(model, number, send, onCheck)
  return false
}

function listChecks(made: readonly CheckName[], lastFailed: boolean): Explanation['checks'] {
  const order = [...made, ...CHECKS.map(({ name }) => name).filter((name) => !made.includes(name))]
  return order.map((check, index) => {
    const { asks, rule } = CHECKS.find(({ name }) => name === check) ?? CHECKS[0]
    const passed = index >= made.length ? null : !(lastFailed && index === made.length - 1)
    return { check, asks, rule, passed }
  })
}

const NOT_NEEDED = { helps: false, how: 'none is needed' }
const REPEAT = { helps: true, how: 'the outcome is unknown: repeat it with the same key' }

const HOW = {
  no: 'it will not change automatically',
  backoff: 'with exponential back-off and the same key',
  pause: 'after a short pause, with the same key',
  cautious: 'a few attempts, with the same key',
} as const

function retryOf(status: number, code: string | undefined): Explanation['retry'] {
  const { retry } = ruleOf(status, code)
  return { helps: retry !== 'no', how: HOW[retry] }
}
