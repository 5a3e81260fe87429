import type { Check, Expectation } from './check.ts'
import type { Came } from './fire.ts'
import type { Shot } from './shot.ts'

/** What a judgement stands on, beside the answers. */
export interface Measure {
  readonly secret: string
  /** An answer that takes longer suggests that the work is done before it. */
  readonly slowMs: number
  /** How long an unfinished body may be waited for. */
  readonly patienceMs: number
}

export interface Fired {
  readonly shot: Shot
  readonly came: Came
}

/** The first shot whose answer is not what was expected; undefined where all are. */
export function fallen({ expects }: Check, fired: readonly Fired[], measure: Measure): Fired | undefined {
  const first = fired[0]
  if (expects === 'alike') return fired.find(({ came }) => !isRefusal(came) || (first && !isSame(came, first.came)))
  return fired.find((one) => !HOLDS[expects](one, measure))
}

const HOLDS: Readonly<Record<Exclude<Expectation, 'alike'>, (fired: Fired, measure: Measure) => boolean>> = {
  acknowledged: ({ came }) => isAcknowledged(came),
  soon: ({ came }, { slowMs }) => isAcknowledged(came) && came.ms <= slowMs,
  refused: ({ came }) => isRefusal(came),
  secretive: ({ came, shot }, { secret }) => isRefusal(came) && !tells(came, shot, secret),
  capped: ({ came }) => isRefusal(came) || came.as === 'closed',
  harmless: ({ came }) => came.as === 'answer' && came.status < 500,
  ended: ({ came }) => came.as === 'answer' || came.as === 'closed',
}

export function expectedOf(expects: Expectation, { slowMs, patienceMs }: Measure): string {
  return {
    acknowledged: 'a 2xx',
    soon: `a 2xx within ${slowMs} ms`,
    refused: 'a 4xx, best 401',
    alike: 'a 4xx, the same each time',
    secretive: 'a 4xx with neither the secret nor the right signature in it',
    capped: 'a 4xx, best 413, or a closed connection',
    harmless: 'any answer that is no 5xx',
    ended: `an answer, best 408, or a closed connection within ${patienceMs} ms`,
  }[expects]
}

export function isAcknowledged(came: Came): boolean {
  return came.as === 'answer' && came.status >= 200 && came.status < 300
}

/** A 408 or a 429 is no judgement of what was sent. */
function isRefusal(came: Came): came is Extract<Came, { as: 'answer' }> {
  return came.as === 'answer' && came.status >= 400 && came.status < 500 && came.status !== 408 && came.status !== 429
}

function isSame(one: Came, other: Came): boolean {
  return one.as === 'answer' && other.as === 'answer' && one.status === other.status && one.body === other.body
}

function tells({ body }: { readonly body: string }, { right }: Shot, secret: string): boolean {
  const hex = right.slice(right.indexOf('=') + 1)
  const text = body.toLowerCase()
  return body.includes(secret) || text.includes(hex) || body.includes(Buffer.from(hex, 'hex').toString('base64'))
}
