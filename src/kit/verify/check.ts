import type { Outcome } from './fire.ts'
import type { Make, Shot } from './shot.ts'

/** One row of the conformance matrix: the requests, what a correct receiver does, and how to fix one that does not. */
export interface Check {
  /** Stable. `--only` accepts it. */
  readonly id: string
  readonly rules: readonly string[]
  readonly says: string
  readonly expects: Expectation
  readonly fix: string
  /** All shots are sent at the same time. Otherwise each one waits for the answer to the previous one. */
  readonly atOnce?: true
  shots(make: Make): readonly Shot[]
}

/**
 * `acknowledged`  every answer is a 2xx
 * `soon`          every answer is a 2xx, and none takes long
 * `refused`       every answer is a 4xx
 * `secretive`     every answer is a 4xx, and none contains the secret or the right signature
 */
export type Expectation = 'acknowledged' | 'soon' | 'refused' | 'secretive'

/** The result of one check. Its texts are for people; none contains a secret. */
export interface Verdict {
  readonly check: Check
  /** `skipped`: not judged. `came` contains the reason. */
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly sent: string
  readonly came: string
  readonly expected: string
  readonly ms: number
}

export interface Fired {
  readonly shot: Shot
  readonly outcome: Outcome
}

export interface Criteria {
  readonly secret: string
  /** A slower answer suggests that the receiver does its work before it answers. */
  readonly slowMs: number
}

export function judge(check: Check, fired: readonly Fired[], criteria: Criteria, ms: number): Verdict {
  const failed = firstFailure(check, fired, criteria)
  const base = { check, sent: sentBy(fired), expected: expectedBy(check, criteria), ms }
  if (failed) {
    const { shot, outcome } = failed
    return { ...base, state: 'failed', sent: shot.what, came: described(outcome, shot, criteria.secret) }
  }
  const came = [...new Set(fired.map(({ outcome }) => summary(outcome)))].join(', ')
  return { ...base, state: 'passed', came }
}

export function skip(check: Check, reason: string): Verdict {
  return { check, state: 'skipped', sent: '', came: reason, expected: '', ms: 0 }
}

function firstFailure({ expects }: Check, fired: readonly Fired[], criteria: Criteria): Fired | undefined {
  return fired.find((each) => !MEETS[expects](each, criteria))
}

const MEETS: Readonly<Record<Expectation, (fired: Fired, criteria: Criteria) => boolean>> = {
  acknowledged: ({ outcome }) => isAcknowledged(outcome),
  soon: ({ outcome }, { slowMs }) => isAcknowledged(outcome) && outcome.ms <= slowMs,
  refused: ({ outcome }) => isRefusal(outcome),
  secretive: ({ outcome, shot }, { secret }) => isRefusal(outcome) && !leaks(outcome.body, shot, secret),
}

function isAcknowledged(outcome: Outcome): boolean {
  return outcome.kind === 'answer' && outcome.status >= 200 && outcome.status < 300
}

/** A 408 or a 429 says nothing about the delivery, so neither counts as a refusal. */
function isRefusal(outcome: Outcome): outcome is Extract<Outcome, { kind: 'answer' }> {
  if (outcome.kind !== 'answer' || outcome.status === 408 || outcome.status === 429) return false
  return outcome.status >= 400 && outcome.status < 500
}

function leaks(body: string, { rightSignature }: Shot, secret: string): boolean {
  const hex = hexOf(rightSignature)
  return (
    body.includes(secret) ||
    body.toLowerCase().includes(hex) ||
    body.includes(Buffer.from(hex, 'hex').toString('base64'))
  )
}

// ── texts ───────────────────────────────────────────────────────────────────────────────────────────

function expectedBy({ expects }: Check, { slowMs }: Criteria): string {
  return {
    acknowledged: 'a 2xx',
    soon: `a 2xx within ${slowMs} ms`,
    refused: 'a 4xx, best 401',
    secretive: 'a 4xx that contains neither the secret nor the right signature',
  }[expects]
}

function sentBy(fired: readonly Fired[]): string {
  return [...new Set(fired.map(({ shot }) => shot.what))].join('; ')
}

function summary(outcome: Outcome): string {
  if (outcome.kind === 'answer') return String(outcome.status)
  if (outcome.kind === 'unreachable') return `no connection (${outcome.why})`
  return outcome.kind === 'closed' ? 'a closed connection' : 'no answer'
}

const MAX_BODY_LENGTH = 160

function described(outcome: Outcome, { rightSignature }: Shot, secret: string): string {
  if (outcome.kind !== 'answer') return `${summary(outcome)} after ${outcome.ms} ms`
  const redacted = outcome.body.replaceAll(secret, '[secret]').replaceAll(hexOf(rightSignature), '[signature]')
  const body = redacted.slice(0, MAX_BODY_LENGTH)
  return `${outcome.status}${body === '' ? '' : ` ${body}`} after ${outcome.ms} ms`
}

function hexOf(signature: string): string {
  return signature.slice(signature.indexOf('=') + 1)
}
