import { describe, expect, it } from 'vitest'
import { ACCEPTED, receiverOn } from './receiver.ts'
import { headersOf, MESSAGE } from './signing.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

const refusal = (status: number, error: string) => ({ status, headers: JSON_TYPE, body: JSON.stringify({ error }) })

describe('the table of answers', () => {
  it('new and stored: 200 accepted; known: 200 duplicate [R DEL-01]', async () => {
    const service = receiverOn()
    for (const status of ['accepted', 'duplicate'])
      expect(await service.post(MESSAGE, headersOf(MESSAGE))).toEqual({
        status: 200,
        headers: JSON_TYPE,
        body: JSON.stringify({ status }),
      })
  })

  it.each([
    ['gzip', 415],
    ['identity, gzip', 415],
    ['Identity', 200],
  ])(
    'a Content-Encoding is refused unread, unless it changes nothing: %j [R SIG-02, F-35]',
    async (encoding, status) => {
      let reads = 0
      const readBody = async () => {
        reads++
        return { bytes: MESSAGE }
      }
      const headers = { ...headersOf(MESSAGE), 'content-encoding': encoding }
      const answer = await receiverOn().take({ headers, readBody })
      if (status === 200) expect(answer).toMatchObject(ACCEPTED)
      else expect([answer, reads]).toEqual([refusal(415, 'unsupported_encoding'), 0])
    },
  )

  it('the store gets the rest of four seconds since the last byte, however long the upload took [R DEL-02, F-98]', async () => {
    const waits: number[] = []
    const service = receiverOn({
      async accept(_, { waitMs = NaN } = {}) {
        waits.push(waitMs)
        return { as: 'stored' }
      },
    })
    const headers = new Headers(headersOf(MESSAGE))
    let isRead = false
    const lookUp = (name: string) => {
      // Verification takes a second and a half.
      if (isRead) service.time.elapsed = 10_500
      return headers.get(name)
    }
    const readBody = async () => {
      service.time.elapsed = 9_000
      isRead = true
      return { bytes: MESSAGE }
    }
    await service.take({ headers: { get: lookUp, keys: () => headers.keys() } as Headers, readBody })
    expect(waits).toEqual([2_500])
  })
})

it('an answer is not given before the delivery is on disk [R DEL-02]', async () => {
  let answered = false
  let land = () => {}
  const service = receiverOn({
    accept: () =>
      new Promise((resolve) => {
        land = () => resolve({ as: 'stored' })
      }),
  })
  const answer = service.post(MESSAGE, headersOf(MESSAGE)).finally(() => {
    answered = true
  })
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  expect(service.storeCalls()).toBe(1)
  expect(answered).toBe(false)
  land()
  expect(await answer).toMatchObject(ACCEPTED)
})
