import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/emulator.ts'

describe('a request that does not belong to the API', () => {
  it('is a HEAD for the page, answered like GET without the page', async () => {
    await using emulator = await createEmulator()
    const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => fetch(emulator.url, { method })))
    expect([get?.status, head?.status, await head?.text()]).toEqual([200, 200, ''])
    expect(head?.headers.get('content-length')).toBe(get?.headers.get('content-length'))
    const posted = await fetch(emulator.url, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('is a path beside the API, whose 404 names the API’s address and needs no control token [E GEN-08]', async () => {
    await using emulator = await createEmulator()
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
      for (const path of ['/messages', '/api/v1/messages', '//api/v2/messages', '/webhooks/messages']) {
        const response = await fetch(emulator.url + path, {
          method,
          headers: { Authorization: `Bearer ${emulator.accessToken}` },
        })
        expect([response.status, await response.json()], `${method} ${path}`).toEqual([
          404,
          { code: 'not_found', message: expect.stringContaining('/api/v2') },
        ])
      }
  })
})
