import { iso } from '../events/event.ts'
import { publishDeclared } from '../events/publish.ts'
import { type ConnectedNumber, beside, numberWithId } from '../model/account.ts'
import { inCase, place } from '../model/progress.ts'
import type { TaskOf } from '../model/schedule.ts'
import { messageOf, shownOf } from '../service/message.ts'
import type { State } from '../state.ts'

/** What a customer said, and to which number. */
export interface Heard {
  readonly number: ConnectedNumber
  readonly customer: string
  readonly text: string | undefined
}

/** Before the event goes out: `BOT` wakes the agent at once, and one that answers first does so now. */
export function hearFirst(state: State, heard: Heard): void {
  const { number, customer, text } = heard
  if (asksForAgent(state, text)) wake(state, number, customer)
  if (state.agent.settings.answersFirst && !wantsPerson(state, text)) answer(state, number, customer)
}

/** After the event has gone out. */
export function hearLast(state: State, heard: Heard): void {
  const { number, customer, text } = heard
  const { on, answersFirst, answersAfterMs } = state.agent.settings
  if (!on || isPaused(state, number, customer)) return
  if (wantsPerson(state, text)) escalate(state, number, customer, 'The customer asked for a person.')
  else if (!answersFirst) state.schedule.later(answersAfterMs, { do: 'answer', customer, number: number.id })
}

export function resumeAnswer(state: State, { number: id, customer }: TaskOf<'answer'>): void {
  const number = numberWithId(state.account, id)
  if (number) answer(state, number, customer)
}

function answer(state: State, number: ConnectedNumber, customer: string): void {
  const { on, says } = state.agent.settings
  if (on && !isPaused(state, number, customer)) replyAs('agent', state, number, customer, says)
}

/** A send of the app's, or a person's reply, silences the agent until the takeover window elapses (GEN-06). */
export function pauseAgent(state: State, number: ConnectedNumber, customer: string): void {
  if (number.takeoverMs === null) return
  const until = state.clock.now() + number.takeoverMs
  state.agent.pause({ number: number.id, customer, until })
  tellOfAgent(state, { number: number.id, customer, state: 'paused', pausedUntil: iso(until) })
}

function wake(state: State, number: ConnectedNumber, customer: string): void {
  state.agent.resume(number.id, customer)
  tellOfAgent(state, { number: number.id, customer, state: 'active', pausedUntil: null })
}

/** A pause begins also where the agent is off: it holds if the agent is switched on meanwhile. */
function tellOfAgent(state: State, agent: object): void {
  state.tell('agent', { agent: { ...agent, on: state.agent.settings.on } })
}

/** The conversation is handed to a person. */
export function escalate(state: State, number: ConnectedNumber, customer: string, reason: string): string[] {
  pauseAgent(state, number, customer)
  return publishDeclared(
    state,
    { name: 'conversation.escalated', customer, number },
    {
      conversation_id: `conv_${customer}`,
      customer_phone: customer,
      reason,
      occurred_at: iso(state.clock.now()),
    },
  )
}

function isPaused(state: State, number: ConnectedNumber, customer: string): boolean {
  return state.agent.pausedUntil(number.id, customer) !== undefined
}

/** Which texts count as typing `BOT` is an assumption. */
function asksForAgent({ assumptions }: State, text: string | undefined): boolean {
  return assumptions.botMatching === 'exact' ? text === 'BOT' : text?.trim().toUpperCase() === 'BOT'
}

function wantsPerson({ agent }: State, text: string | undefined): boolean {
  const said = text?.trim().toLowerCase()
  return agent.settings.handsOverOn.some((word) => word.toLowerCase() === said)
}

/** A text of somebody other than the app: it stands in the thread told apart, and the app hears `message.sent`. */
export function replyAs(
  by: 'agent' | 'dashboard',
  state: State,
  number: ConnectedNumber,
  customer: string,
  text: string,
): string {
  const send = { to: customer, type: 'text' as const, text }
  const accepted = {
    id: state.ids.message(),
    upstreamId: state.ids.upstream(),
    status: inCase(state, 'sent'),
    at: state.clock.now(),
  }
  const source = by === 'agent' ? 'AI' : 'HUMAN'
  place(state, number, customer, {
    message: { ...messageOf(send, accepted, undefined), source },
    shown: { ...shownOf(send, accepted, undefined), by, ...beside(state.account, number) },
  })
  return accepted.id
}
