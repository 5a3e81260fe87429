import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { AttemptReport } from '../../src/client/index.ts'
import { accepts, breaks, clientOn, refuses, rejection, says } from './stub.ts'

const TO = '255712345678'
const keyed = { idempotencyKey: 'order-7781-ready' }
const idempotencyKeyHash = createHash('sha256').update('order-7781-ready').digest('hex').slice(0, 16)

function listening(...replies: Parameters<typeof clientOn>[0]) {
  const reports: AttemptReport[] = []
  const on = clientOn(replies, { onAttempt: (report) => void reports.push(report) })
  return { ...on, reports }
}

it('each attempt is reported, with its key hashed and nothing of the message [C SEND-25, C AUTH-07]', async () => {
  const reset = breaks({ code: 'ECONNRESET', syscall: 'read' })
  const { client, reports } = listening(refuses(429, 'rate_limited'), reset, accepts())
  await client.messages.send(TO, 'my secret diary', keyed)
  const same = { method: 'POST', path: '/messages', idempotencyKeyHash, ms: 0 }
  expect(reports).toEqual([
    { ...same, attempt: 1, status: 429, code: 'rate_limited', outcome: 'not_sent' },
    { ...same, attempt: 2, status: undefined, code: undefined, outcome: 'unknown' },
    { ...same, attempt: 3, status: 200, code: undefined, outcome: 'accepted' },
  ])
  expect(JSON.stringify(reports)).not.toMatch(/diary|255712345678|order-7781/)
})

it('reads and single attempts are reported too [C ERR-03]', async () => {
  const { client, reports } = listening(says(200, { items: [] }), refuses(502, 'send_failed'))
  await client.templates.list()
  await rejection(client.attempt({ body: '{}', idempotencyKey: 'order-7781-ready' }))
  expect(reports).toMatchObject([
    { method: 'GET', path: '/templates', attempt: 1, status: 200, outcome: 'read', idempotencyKeyHash: undefined },
    { method: 'POST', path: '/messages', attempt: 1, status: 502, code: 'send_failed', outcome: 'not_sent' },
  ])
})

it('a listener that fails changes nothing [C IDEM-07]', async () => {
  const onAttempt = () => {
    throw new Error('log')
  }
  const { client } = clientOn([accepts()], { onAttempt })
  expect(await client.messages.send(TO, 'hi', keyed)).toMatchObject({ attempts: 1 })
})

it('an error names its key by the hash alone [C IDEM-01, C AUTH-07]', async () => {
  const { client } = listening(refuses(400, 'invalid_template'))
  const error = await rejection(client.messages.send(TO, 'hi', keyed))
  expect(error).toMatchObject({ idempotencyKeyHash })
  expect(JSON.stringify(error)).toContain(idempotencyKeyHash)
  expect(JSON.stringify(error)).not.toContain('order-7781')
})
