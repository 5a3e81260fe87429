import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { MESSAGE } from './service.ts'
import { accepts, rejection, scripted, TOKEN } from './stub.ts'

const MESSAGES = 'https://service.example/api/v2/messages'
const server = setupServer(http.post(MESSAGES, () => HttpResponse.json(MESSAGE)))
const client = createClient({ baseUrl: 'https://service.example', accessToken: TOKEN, maxRetries: 0 })
const send = { body: '{}', idempotencyKey: 'k' }

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterAll(() => server.close())

it('stands on the fetch of the platform, so what intercepts that works [C GEN-02]', async () => {
  expect((await client.attempt(send)).message.id).toBe('msg_1')
})

it('a network error without a reason is an unknown outcome [C IDEM-07]', async () => {
  server.use(http.post(MESSAGES, () => HttpResponse.error(), { once: true }))
  expect(await rejection(client.attempt(send))).toMatchObject({ reason: 'connection', outcome: 'unknown' })
})

it('looks the fetch up when it is called, not when the client is made [C GEN-02]', async () => {
  const { fetch, requests } = scripted(accepts())
  vi.stubGlobal('fetch', fetch)
  await client.attempt(send)
  vi.unstubAllGlobals()
  expect(requests).toHaveLength(1)
})
