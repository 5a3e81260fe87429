import type { Outcome } from './fire.ts'
import type { Make, Shot } from './shot.ts'

/** One row of the conformance matrix. */
export interface Check {
  /** It stays the same in later releases. */
  readonly id: string
  readonly rules: readonly string[]
  readonly says: string
  /** What each answer must be. */
  readonly expects: keyof typeof EXPECTATIONS
  readonly fix: string
  /** Sends all requests at the same time. Default: one after the other. */
  readonly atOnce?: true
  shots(make: Make): readonly Shot[]
}

/** The result of one check. No text in it contains a secret. */
export interface Verdict {
  readonly check: Check
  /** `skipped`: not judged, for the reason in `came`. */
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
  /** If an answer takes longer, the receiver probably handles the message before it answers. */
  readonly slowMs: number
}

export function judge(check: Check, fired: readonly Fired[], criteria: Criteria, ms: number): Verdict {
  const { text, isMet } = EXPECTATIONS[check.expects]
  const failed = fired.find((each) => !isMet(each, criteria))
  const base = { check, expected: text(criteria), ms }
  if (failed) {
    const { shot, outcome } = failed
    return { ...base, state: 'failed', sent: shot.what, came: described(outcome, shot, criteria.secret) }
  }
  const sent = [...new Set(fired.map(({ shot }) => shot.what))].join('; ')
  const came = [...new Set(fired.map(({ outcome }) => summary(outcome)))].join(', ')
  return { ...base, state: 'passed', sent, came }
}

export function skip(check: Check, reason: string): Verdict {
  return { check, state: 'skipped', sent: '', came: reason, expected: '', ms: 0 }
}

const EXPECTATIONS = {
  acknowledged: { text: () => 'a 2xx', isMet: ({ outcome }) => isAcknowledged(outcome) },
  soon: {
    text: ({ slowMs }) => `a 2xx within ${slowMs} ms`,
    isMet: ({ outcome }, { slowMs }) => isAcknowledged(outcome) && outcome.ms <= slowMs,
  },
  refused: { text: () => 'a 4xx, best 401', isMet: ({ outcome }) => isRefusal(outcome) },
  secretive: {
    text: () => 'a 4xx that contains neither the secret nor the right signature',
    isMet: ({ outcome, shot }, { secret }) => isRefusal(outcome) && !leaks(outcome.body, shot, secret),
  },
} satisfies Record<string, { text(criteria: Criteria): string; isMet(fired: Fired, criteria: Criteria): boolean }>

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
