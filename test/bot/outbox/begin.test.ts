import { describe, expect, it, vi } from 'vitest'
import { ASHA, type Bench, eachWithBench, STORED, T0 } from './bench.ts'

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

  it.each(['repeat', 'hold'] as const)(
    'is in no doubt if the commit that began it was, and its request was never made: %s [B IDEM-07]',
    async (onUnknown) => {
      const { store, service, pass } = bench
      const open = store.openSend
      vi.spyOn(store, 'openSend').mockImplementationOnce(async (...given) => {
        await open(...given)
        throw new Error('the answer of the commit was lost')
      })
      const { outbox, record } = bench.boot({ onUnknown })
      void record('hello').catch(() => {})
      await pass(0)
      expect(await store.listSends({ limit: 2 })).toMatchObject({ sends: [{ state: 'attempting' }] })
      outbox.lanes.recheck()
      await pass(MINUTE)
      expect(service.asked).toHaveLength(1)
      expect((await store.listSends({ limit: 2 })).sends).toMatchObject([
        { state: 'accepted', attempts: 1, possiblyTwice: false },
      ])
    },
  )

  it('is not sent twice while it is in doubt, if its attempt cannot be written at all: hold [B IDEM-07]', async () => {
    const { store, service, pass } = bench
    vi.spyOn(store, 'settleSend').mockRejectedValueOnce(new Error('x')).mockRejectedValueOnce(new Error('x'))
    void bench.boot({ onUnknown: 'hold' }).record('hello')
    await pass(MINUTE)
    expect(service.asked).toHaveLength(1)
    expect((await store.listSends({ limit: 2 })).sends).toMatchObject([{ state: 'unknown' }])
  })

  it('is in no doubt if neither its beginning nor its delay could be written: hold [B IDEM-07]', async () => {
    const { store, service, pass } = bench
    const begin = store.beginSend
    vi.spyOn(store, 'beginSend').mockImplementationOnce(async (...given) => {
      await begin(...given)
      throw new Error('the answer of the commit was lost')
    })
    vi.spyOn(store, 'settleSend').mockRejectedValueOnce(new Error('x'))
    const { record } = bench.boot({ onUnknown: 'hold', begins: false })
    void record('hello').catch(() => {})
    await pass(MINUTE)
    expect(service.asked).toHaveLength(1)
    expect((await store.listSends({ limit: 2 })).sends).toMatchObject([{ state: 'accepted', attempts: 1 }])
  })

  it('is skipped if it is marketing, and its customer opts out after it was claimed and before its first byte', async () => {
    const { store, service, pass } = bench
    const begin = store.beginSend
    vi.spyOn(store, 'beginSend').mockImplementationOnce(async (...given) => {
      await store.optOut({ number: 'default', customer: ASHA, at: T0, how: 'message' })
      return begin(...given)
    })
    const { record } = bench.boot({ begins: false })
    void record('news', { options: { ...STORED.options, kind: 'marketing' } })
    await pass(MINUTE)
    expect(service.asked).toEqual([])
    expect((await store.listSends({ limit: 2 })).sends).toMatchObject([
      { state: 'skipped', code: 'opted_out', attempts: 0 },
    ])
  })

  it('is left to the next process if this one stops', async () => {
    const { service, pass } = bench
    const { outbox, record } = bench.boot()
    await outbox.lanes.stop(0)
    expect(await record('hello', STORED)).toMatchObject({ send: { state: 'ready' } })
    await pass(MINUTE)
    expect(service.asked).toEqual([])
    bench.boot()
    await pass(MINUTE)
    expect(service.phone).toMatchObject([{ said: 'hello' }])
  })
})
