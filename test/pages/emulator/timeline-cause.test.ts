import { describe, expect, it } from 'vitest'
import { explainAttempt } from '../../../src/pages/emulator/timeline/cause.ts'
import type { Attempt, Signature } from '../../../src/pages/emulator/wire/wire-types.ts'

interface Outcome {
  readonly status?: number | null
  readonly error?: NonNullable<Attempt['error']>
  readonly answer?: string
  readonly headers?: Record<string, string>
  readonly fault?: string
  readonly isWrong?: boolean
  readonly skewSeconds?: number
}

function causeOf({ status = null, error, answer = '', headers = {}, fault, ...signed }: Outcome): string | undefined {
  const attempt: Attempt = {
    at: '2026-03-04T09:00:00.000Z',
    tookMs: 10_000,
    status,
    ...(error !== undefined && { error }),
    ...(fault !== undefined && { fault }),
    request: { url: 'http://127.0.0.1:3000/webhooks/messages', headers: {}, body: '{}' },
    response: status === null ? null : { headers, body: answer },
  }
  const signature: Signature = {
    timestamp: '1772614800',
    sent: signed.isWrong ? 'sha256=00' : 'sha256=ff',
    expected: 'sha256=ff',
    skewSeconds: signed.skewSeconds ?? 0,
  }
  return explainAttempt(attempt, signature)
}

describe('the likely cause of an outcome', () => {
  it.each<[string, Outcome, string]>([
    ['nothing listens', { error: 'connection_refused' }, 'Nothing listens'],
    ['a redirect', { status: 308, headers: { location: '/webhooks/messages/' } }, 'redirects to /webhooks/messages/'],
    ['a wrong path', { status: 404 }, 'no receiver at this path'],
    ['a parser in front', { status: 500, answer: '{"error":"body_already_parsed"}' }, 'before express.json()'],
    ['a bug', { status: 500, answer: 'Internal Server Error' }, 'failed with 500'],
    ['401 for a wrong signature', { status: 401, isWrong: true }, 'signature does not match'],
    ['401 for a fault that was armed', { status: 401, isWrong: true, fault: 'tamper' }, 'the fault “tamper”'],
    ['401 for a stale timestamp', { status: 401, skewSeconds: -301 }, 'signed 301 s before it was sent'],
    ['401 in spite of a right signature', { status: 401 }, 'the app has another secret'],
  ])('names %s', (_, outcome, words) => {
    expect(causeOf(outcome)).toContain(words)
  })

  it('is empty if the outcome is right, even at the edge of the 300 s [SIG-05]', () => {
    for (const skewSeconds of [0, -300, 300]) expect(causeOf({ status: 200, skewSeconds })).toBeUndefined()
  })

  it('warns if the app accepted a delivery that it had to refuse', () => {
    expect(causeOf({ status: 200, isWrong: true })).toContain('does not verify')
    expect(causeOf({ status: 204, skewSeconds: -301 })).toContain('does not check the time')
  })
})
