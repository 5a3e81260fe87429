import { PHONE_NUMBER_ID, ruleOf } from '../../contract/index.ts'
import { Refusal } from '../http/messages.ts'
import type { JsonObject } from '../http/json.ts'
import type { State } from '../state.ts'
import { admitted } from './checks.ts'
import { approve } from './approve.ts'
import { type CheckName, CHECKS, type Step } from './checks.ts'
import { failureOf, isBefore, lookForTrouble } from './send-faults.ts'
import { SEND_FAULTS } from '../model/fault-rules.ts'
import { keyRefusal } from './send.ts'
import { readSend } from './validation.ts'

/** A send that is only asked about. */
export interface Question {
  readonly send: JsonObject
  readonly accessToken: string
  readonly phoneNumberId?: string | undefined
  readonly idempotencyKey?: string | undefined
}

export type Explanation = {
  readonly accepted: boolean
  /** Those that were made in their order, then the others: `passed` is null there. */
  readonly checks: readonly {
    readonly check: string
    readonly asks: string
    readonly rule: string
    readonly passed: boolean | null
  }[]
  /** What the API would answer; null where a fault leaves no answer. */
  readonly answer: { readonly status: number; readonly body?: Readonly<Record<string, unknown>> } | null
  readonly retry: { readonly helps: boolean; readonly how: string }
  /** What else will happen to the send, in words. */
  readonly notes: readonly string[]
}

/** What would become of a send: the checks of the send path itself, with nothing changed and nothing sent. */
export function explain(state: State, question: Question): Explanation {
  const notes: string[] = []
  const made: CheckName[] = []
  try {
    const unanswered = judged(state, question, (check) => made.push(check), notes)
    if (unanswered) return { accepted: false, checks: listed(made, true), answer: null, retry: REPEAT, notes }
    return { accepted: true, checks: listed(made, false), answer: { status: 200 }, retry: NOT_NEEDED, notes }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { status, body, code } = error
    const retry = retryOf(status, code)
    return { accepted: false, checks: listed(made, true), answer: { status, body }, retry, notes }
  }
}

/** Throws the refusal; answers whether a fault leaves the send without an answer and unsent. */
function judged(state: State, question: Question, step: Step, notes: string[]): boolean {
  const { send: json, accessToken, phoneNumberId, idempotencyKey: key } = question
  const named = phoneNumberId === undefined ? {} : { [PHONE_NUMBER_ID.toLowerCase()]: phoneNumberId }
  const number = admitted(state.account, { authorization: `Bearer ${accessToken}`, ...named }, step)
  step('body')
  const send = readSend(json, state.templates.of(number.id), state.assumptions)
  const body = { raw: Buffer.from(JSON.stringify(json)), json }
  const claim = key === undefined ? 'first' : state.keys.look(number.id, key, body)
  step('fault')
  const rule = lookForTrouble(state.faults, send, () => key !== undefined && claim === 'first')
  if (rule) notes.push(`A fault is armed: ${SEND_FAULTS[rule.do]}.`)
  if (rule?.do === 'status') throw failureOf(rule)
  if (rule && isBefore(rule)) return true
  step('key')
  if (claim === 'in_flight' || claim === 'reused') throw keyRefusal(claim)
  if (claim === 'settled') notes.push('The key is settled: the first answer is replayed, and nothing is sent again.')
  else approve(state, number, send, step)
  return false
}

function listed(made: readonly CheckName[], lastFailed: boolean): Explanation['checks'] {
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
  no: 'it will not change by itself',
  backoff: 'with exponential back-off and the same key',
  pause: 'after a short pause, with the same key',
  cautious: 'a few attempts, with the same key',
} as const

function retryOf(status: number, code: string | undefined): Explanation['retry'] {
  const { retry } = ruleOf(status, code)
  return { helps: retry !== 'no', how: HOW[retry] }
}
