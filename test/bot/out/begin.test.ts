import { describe, expect, it, vi } from 'vitest'
import { type Bench, eachWithBench, STORED } from './bench.ts'

const MINUTE = 60_000

describe('a send that need not wait', () => {
  let bench: Bench
  eachWithBench((one) => (bench = one))

  it('arrives once, even if its process dies after the caller got the acceptance and before it is written [B IDEM-07]', async () => {
    const { store, service, pass } = bench
    const settles = vi.spyOn(store, 'settleSend').mockImplementation(async () => {
      first.kill()
      return { stands: false, next: undefined }
    })
    const first = bench.boot()
    const sending = first.record('hello')
    await pass(0)
    expect(await sending).toMatchObject({ send: { state: 'accepted', messageId: 'msg-1' } })
    settles.mockRestore()
    bench.boot()
    await pass(MINUTE)
    expect(service.asked).toHaveLength(2)
    expect(service.phone).toHaveLength(1)
    const { sends } = await store.listSends({ limit: 2 })
    expect(sends).toMatchObject([{ state: 'accepted', messageId: 'msg-1', possiblyTwice: false }])
  })

  it.each(['repeat', 'hold'] as const)(
    'is not in doubt if the store fails before its first byte, so its refusal is certain: %s [B IDEM-07, F-65]',
    async (onUnknown) => {
      const { store, service, pass } = bench
      vi.spyOn(store, 'beginSend').mockRejectedValueOnce(new Error('the disk is full'))
      const { record } = bench.boot({ onUnknown })
      service.script = ['taken', { status: 400, code: 'invalid_request' }]
      void record('first')
      void record('second', STORED)
      await pass(MINUTE)
      expect(service.asked).toHaveLength(2)
      expect((await store.listSends({ limit: 2 })).sends).toMatchObject([
        { state: 'refused', code: 'invalid_request' },
        { state: 'accepted' },
      ])
    },
  )

  it.each([
    ['repeat', 'accepted', 2],
    ['hold', 'unknown', 1],
  ] as const)(
    'stays in doubt if the store fails after its attempt: %s [B IDEM-07, F-65]',
    async (onUnknown, state, requests) => {
      const { store, service, pass } = bench
      vi.spyOn(store, 'settleSend').mockRejectedValueOnce(new Error('the disk is full'))
      void bench.boot({ onUnknown }).record('hello')
      await pass(MINUTE)
      expect(service.asked).toHaveLength(requests)
      expect((await store.listSends({ limit: 2 })).sends).toMatchObject([{ state }])
    },
  )

  it('is left to the next process if this one stops', async () => {
    const { service, pass } = bench
    const { outbox, record } = bench.boot()
    await outbox.stop(0)
    expect(await record('hello', STORED)).toMatchObject({ send: { state: 'ready' } })
    await pass(MINUTE)
    expect(service.asked).toEqual([])
    bench.boot()
    await pass(MINUTE)
    expect(service.phone).toMatchObject([{ said: 'hello' }])
  })
})
