import type { Check, Verdict } from './check.ts'
import type { Came } from './fire.ts'
import { expectedOf, type Fired, type Measure } from './judge.ts'
import type { Shot } from './shot.ts'

const SHOWN = 160

export function pass(check: Check, fired: readonly Fired[], measure: Measure, ms: number): Verdict {
  const came = [...new Set(fired.map((one) => inShort(one.came)))].join(', ')
  return { check, state: 'passed', sent: sentOf(fired), came, expected: expected(check, measure), ms }
}

export function failure(check: Check, { shot, came }: Fired, measure: Measure, ms: number): Verdict {
  const told = { sent: shot.what, came: inFull(came, shot, measure.secret), expected: expected(check, measure) }
  return { check, state: stateOf(check), ...told, ms }
}

/** The answers were right, and what the receiver did was not. */
export function wrongCount(check: Check, fired: readonly Fired[], effects: number, ms: number): Verdict {
  const told = { sent: sentOf(fired), came: effectsOf(effects), expected: effectsOf(check.effects ?? 0) }
  return { check, state: stateOf(check), ...told, ms }
}

export function passOver(check: Check, why: string): Verdict {
  return { check, state: 'skipped', sent: '', came: why, expected: '', ms: 0 }
}

function stateOf({ level }: Check): 'failed' | 'warned' {
  return level === 'must' ? 'failed' : 'warned'
}

function expected({ expects, effects }: Check, measure: Measure): string {
  const answer = expectedOf(expects, measure)
  return effects === undefined ? answer : `${answer}, and ${effectsOf(effects)}`
}

function effectsOf(effects: number): string {
  return effects === 1 ? '1 effect' : `${effects} effects`
}

function sentOf(fired: readonly Fired[]): string {
  return [...new Set(fired.map(({ shot }) => shot.what))].join('; ')
}

function inShort(came: Came): string {
  if (came.as === 'answer') return String(came.status)
  if (came.as === 'unreachable') return `no connection (${came.why})`
  return came.as === 'closed' ? 'a closed connection' : 'no answer'
}

/** With the beginning of the answer's body, in which neither the secret nor a right signature is repeated. */
function inFull(came: Came, { right }: Shot, secret: string): string {
  if (came.as !== 'answer') return `${inShort(came)} after ${came.ms} ms`
  const hex = right.slice(right.indexOf('=') + 1)
  const body = came.body.replaceAll(secret, '[secret]').replaceAll(hex, '[signature]').slice(0, SHOWN)
  return `${came.status}${body === '' ? '' : ` ${body}`} after ${came.ms} ms`
}
