import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { AttemptError } from '../../src/emulator/deliver/delivery.ts'
import { type Case, explainAttempt } from '../../src/page/timeline/cause.ts'

const BODY = '{"id":"msg_1","text":"hours"}'
const URL = 'http://127.0.0.1:3000/webhooks/messages'
const TIMESTAMP = '1772614800'

function sign(body: string, timestamp = TIMESTAMP, secret = 'whsec_right'): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`
}

interface Outcome {
  readonly status?: number | null
  readonly error?: AttemptError
  readonly answer?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly sent?: string
  readonly timestamp?: string
  readonly skewSeconds?: number
  readonly otherBody?: string
}

function caseOf(outcome: Outcome): Case {
  const { status = null, error, answer = '', headers = {}, body = BODY, timestamp = TIMESTAMP } = outcome
  return {
    attempt: {
      at: '2026-03-04T09:00:00.000Z',
      tookMs: 10_000,
      status,
      ...(error !== undefined && { error }),
      request: { url: URL, headers: {}, body },
      response: status === null ? null : { headers, body: answer },
    },
    signature: {
      timestamp,
      sent: outcome.sent ?? sign(body, timestamp),
      expected: sign(body, timestamp),
      skewSeconds: outcome.skewSeconds ?? 0,
    },
    otherBody: outcome.otherBody,
  }
}

const lastDigit = (signature: string) => signature.slice(0, -1) + (signature.endsWith('0') ? '1' : '0')

describe('the likely cause of an outcome', () => {
  it.each<[string, Outcome, string]>([
    ['nothing listens', { error: 'connection_refused' }, 'Nothing listens at http://127.0.0.1:3000'],
    ['no answer in time', { error: 'timeout' }, 'no answer within 10 s'],
    ['a broken connection', { error: 'connection_failed' }, 'broke before there was an answer'],
    ['an answer lost by a fault', { error: 'answer_lost' }, 'A fault took the answer away'],
    ['a redirect', { status: 308, headers: { location: '/webhooks/messages/' } }, 'redirects to /webhooks/messages/'],
    ['400', { status: 400 }, 'malformed'],
    ['403', { status: 403 }, 'forbids it'],
    ['404', { status: 404 }, 'has nothing at /webhooks/messages'],
    ['405', { status: 405 }, 'not for POST'],
    ['408', { status: 408 }, 'too slowly'],
    ['413, in bytes and not in letters', { status: 413, body: '{"a":"é"}' }, 'The body of 10 bytes'],
    ['415', { status: 415 }, 'Content-Type'],
    ['429', { status: 429 }, 'limits how often'],
    ['a parser in front', { status: 500, answer: '{"error":"body_already_parsed"}' }, 'before express.json()'],
    ['a bug', { status: 500, answer: 'Internal Server Error' }, 'failed with 500'],
    ['a proxy without its app', { status: 502 }, 'A proxy answers'],
    ['a store that cannot write', { status: 503, answer: '{"error":"unavailable"}' }, 'cannot write to its database'],
    ['an app that is not ready', { status: 503 }, 'not ready'],
    ['any other refusal', { status: 418 }, 'answers 418'],
    ['any other failure', { status: 507 }, 'failed with 507'],
  ])('%s', (_, outcome, words) => {
    expect(explainAttempt(caseOf(outcome))).toContain(words)
  })

  it.each<[string, Outcome, string]>([
    ['a tampered body', { body: `${BODY.slice(0, -1)}!`, sent: sign(BODY) }, 'body was changed'],
    ['a body that another attempt had otherwise', { sent: sign('x'), otherBody: 'x' }, 'body was changed'],
    ['a tampered signature', { sent: lastDigit(sign(BODY)) }, 'changed in its last digit'],
    [
      'a tampered timestamp',
      { timestamp: String(Number(TIMESTAMP) + 1), sent: sign(BODY), skewSeconds: 1 },
      'timestamp was moved by a second',
    ],
    ['a wrong secret', { sent: sign(BODY, TIMESTAMP, 'whsec_wrong') }, 'another secret than the endpoint has now'],
    ['a stale timestamp (SIG-05)', { skewSeconds: -301 }, 'signed 301 s before it was sent'],
    ['an app with another secret', {}, 'the app knows another secret.'],
    ['a body that a parser changes', { body: '{ "a": 1 }' }, 'differs from byte 1 on'],
  ])('of a 401: %s', (_, outcome, words) => {
    expect(explainAttempt(caseOf({ ...outcome, status: 401 }))).toContain(words)
  })

  it('of a 401 is the fault that was armed, as long as the attempt is known by it', () => {
    const observed = caseOf({ status: 401, sent: sign(BODY, TIMESTAMP, 'other') })
    const armed = { ...observed, attempt: { ...observed.attempt, fault: 'wrong_secret' } }
    expect(explainAttempt(armed)).toContain('You armed the fault “wrong secret”')
  })

  it('is empty if all is well, even at the edge of the 300 s', () => {
    for (const skewSeconds of [0, -300, 300])
      expect(explainAttempt(caseOf({ status: 200, answer: '{"status":"accepted"}', skewSeconds }))).toBeUndefined()
  })

  it("says of a duplicate's 2xx that the app knew the delivery", () => {
    expect(explainAttempt(caseOf({ status: 200, answer: '{"status":"duplicate"}' }))).toContain(
      'knows this delivery already',
    )
  })

  it('warns if the app accepted a delivery that it had to refuse', () => {
    expect(explainAttempt(caseOf({ status: 200, sent: sign(BODY, TIMESTAMP, 'other') }))).toContain('does not verify')
    expect(explainAttempt(caseOf({ status: 204, skewSeconds: -301 }))).toContain('does not check the time')
  })
})
