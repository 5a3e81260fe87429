import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { callAsCurl, deliveryAsCurl } from '../../../src/pages/emulator/text/commands.ts'
import type { Attempt, Call } from '../../../src/pages/emulator/wire/wire-types.ts'

const BODY = `{"id":"msg_1","text":"it's \\"$HOME\\" \`pwd\` \\\\ é"}`

const attempt: Attempt = {
  at: '2026-03-04T09:00:00.000Z',
  tookMs: 5,
  status: 200,
  request: {
    url: 'http://127.0.0.1:3000/webhooks/messages',
    headers: { 'Content-Type': 'application/json', 'Content-Length': '44', 'X-Service-Signature': 'sha256=00ff' },
    body: BODY,
  },
  response: { headers: {}, body: '' },
}

function callOf(body: string | null): Call {
  return {
    id: 'call_1',
    at: attempt.at,
    tookMs: 3,
    method: 'POST',
    path: '/api/v2/messages?x=1&y=2',
    status: 200,
    request: {
      headers: { host: '127.0.0.1:1', authorization: 'Bearer sk_…abcd', 'idempotency-key': 'a b', connection: 'close' },
      body,
    },
    response: { headers: {}, body: '{"id":"msg_2"}' },
  }
}

/** The arguments that curl would get from a shell. */
function argumentsOf(command: string): string[] {
  const script = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }\n${command}`
  const env = { SWITCHHOOK_ACCESS_TOKEN: 'the-token', HOME: '/nowhere' }
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', env }).split('\0').slice(0, -1)
}

describe('a copy as curl', () => {
  it('has the exact bytes and headers of a delivery, whatever they contain', () => {
    expect(argumentsOf(deliveryAsCurl(attempt))).toEqual([
      '-i',
      '-X',
      'POST',
      'http://127.0.0.1:3000/webhooks/messages',
      '-H',
      'Content-Type: application/json',
      '-H',
      'X-Service-Signature: sha256=00ff',
      '--data-raw',
      BODY,
    ])
  })

  it('of a call reads the token from the environment, and never contains it', () => {
    const command = callAsCurl(callOf(BODY), 'http://127.0.0.1:4010')
    expect(command).not.toContain('abcd')
    expect(argumentsOf(command)).toEqual([
      '-i',
      '-X',
      'POST',
      'http://127.0.0.1:4010/api/v2/messages?x=1&y=2',
      '-H',
      'Authorization: Bearer the-token',
      '-H',
      'idempotency-key: a b',
      '--data-raw',
      BODY,
    ])
  })

  it('of a call with a withheld body reads the body from a file [OTP-06]', () => {
    expect(argumentsOf(callAsCurl(callOf(null), '')).slice(-2)).toEqual(['--data', '@body.json'])
  })
})
