import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { checkProtocol } from '../../src/client/protocol.ts'
import { CERTIFICATE, KEY } from '../comfort/certificate.ts'
import { freePort } from '../support/free-port.ts'
import { json, MESSAGE, startService } from './service.ts'
import { breaks, clientOn, rejection, TOKEN } from './stub.ts'

/** A TLS server on this machine; its address, with the protocol that it does not speak. */
async function tlsServer(): Promise<string> {
  const server = createServer({ cert: CERTIFICATE, key: KEY }, (_, response) => response.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const WANTED_HTTP = 'baseUrl says https, and what listens there speaks http: write http://'
const WANTED_HTTPS = 'baseUrl says http, and what listens there speaks https: write https://'

/** The longest back-off is shorter; what may take longer is a request. */
const LONGEST_BACKOFF_MS = 20_000

/** A call by a real fetch: its back-offs are over at once, and its requests may take any time. */
function attemptAt(baseUrl: string) {
  const after = (ms: number, over: () => void) => {
    const timer = ms < LONGEST_BACKOFF_MS ? setImmediate(over) : undefined
    return () => clearImmediate(timer)
  }
  const timers = { after }
  const client = createClient({ baseUrl, accessToken: TOKEN, timers })
  return client.messages.send('255712345678', 'hi', { idempotencyKey: 'k' })
}

it('https where http is spoken ends at once, with that as the reason in one line [C IDEM-07]', async () => {
  await using service = await startService(json(200, MESSAGE))
  const error = (await rejection(attemptAt(service.url.replace('http:', 'https:')))) as Error
  expect(error).toMatchObject({ reason: 'wrong_protocol', outcome: 'not_sent', attempts: 1 })
  expect(error.message).toBe(`POST /messages got no answer: ${WANTED_HTTP}; nothing was sent`)
  expect(error.cause).toMatchObject({ message: WANTED_HTTP, code: 'ERR_SSL_WRONG_VERSION_NUMBER' })
  expect(service.seen).toEqual([])
})

it('http where https is spoken ends at once, with that as the reason in one line [C IDEM-07]', async () => {
  const error = (await rejection(attemptAt(await tlsServer()))) as Error
  expect(error).toMatchObject({ reason: 'wrong_protocol', outcome: 'not_sent', attempts: 1 })
  expect(error.message).toBe(`POST /messages got no answer: ${WANTED_HTTPS}; nothing was sent`)
})

it('elsewhere http is no advice: the address may be a wrong one [C IDEM-07]', async () => {
  const { client, requests } = clientOn([breaks({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' })])
  const error = (await rejection(client.messages.send('255712345678', 'hi', { idempotencyKey: 'k' }))) as Error
  expect(error.message).toContain('what listens there speaks http: are its host and port right?; nothing was sent')
  expect(requests).toHaveLength(1)
})

it('a base address on this machine is checked without a request [C GEN-01]', async () => {
  await using service = await startService(json(200, MESSAGE))
  await expect(checkProtocol(service.url.replace('http:', 'https:'))).rejects.toMatchObject({
    code: 'options_invalid',
    message: WANTED_HTTP,
  })
  const tls = await tlsServer()
  await expect(checkProtocol(tls)).rejects.toMatchObject({ code: 'options_invalid', message: WANTED_HTTPS })
  await checkProtocol(service.url)
  await checkProtocol(tls.replace('http:', 'https:'))
  await checkProtocol(`http://127.0.0.1:${await freePort()}`)
  await checkProtocol('https://service.invalid')
  expect(service.seen).toEqual([])
})
