import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ASHA, type Bench, openBench, type Process } from './bench.ts'

const MINUTE = 60_000

describe('a send that need not wait', () => {
  let bench: Bench
  beforeEach(() => {
    bench = openBench()
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  it('leaves after the commit that records it, without another one', async () => {
    const { store, service, pass } = bench
    const begins = vi.spyOn(store, 'beginSend')
    const { outbox } = bench.boot()
    await pass(0)
    const claims = vi.spyOn(store, 'claimSends')
    const sending = record(outbox, 'hello')
    await pass(0)
    expect(await sending).toMatchObject({ via: 'freeform', send: { state: 'accepted', messageId: 'msg-1' } })
    expect([begins, claims].map((spy) => spy.mock.calls.length)).toEqual([0, 0])
    expect(service.phone).toMatchObject([{ said: 'hello' }])
  })

  it('keeps its place: sends recorded meanwhile go out after it [F-77]', async () => {
    const { service, pass } = bench
    const { outbox } = bench.boot()
    const words = ['one', 'two', 'three', 'four']
    const sending = words.map((word) => record(outbox, word))
    await pass(0)
    await Promise.all(sending)
    expect(service.phone.map(({ said }) => said)).toEqual(words)
  })

  it('is repeated under its key if its process dies before its first byte [B IDEM-07, F-65]', async () => {
    const { store, service, pass } = bench
    const attempt = () => {
      killed.kill()
      return new Promise(() => {})
    }
    const killed = bench.boot({
      client: () => ({ attempt }) as never,
    })
    void record(killed.outbox, 'hello')
    await pass(0)
    bench.boot()
    await pass(MINUTE)
    expect(service.phone).toMatchObject([{ said: 'hello' }])
    expect((await store.listSends({ limit: 2 })).sends).toMatchObject([{ state: 'accepted', attempts: 2 }])
  })

  it('arrives once, even if its process dies after the caller got the acceptance and before it is written [B IDEM-07]', async () => {
    const { store, service, pass } = bench
    const settles = vi.spyOn(store, 'settleSend').mockImplementation(async () => {
      first.kill()
      return { hasLease: false, next: undefined }
    })
    const first = bench.boot()
    const sending = record(first.outbox, 'hello')
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

  it('is known to a rerun at once, even if its end is written before the rerun waits for it [F-65]', async () => {
    const { store, service, pass } = bench
    const { openSend, settleSend } = store
    const [found, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    vi.spyOn(store, 'openSend').mockImplementation(async (...given) => {
      const opened = await openSend(...given)
      if (opened?.found === 'known') {
        found.resolve()
        await told.promise
      }
      return opened
    })
    vi.spyOn(store, 'settleSend').mockImplementation(async (...given) => {
      const settled = await settleSend(...given)
      setImmediate(told.resolve)
      return settled
    })
    const { outbox } = bench.boot()
    const say = () => outbox.recordSend({ number: 'default', to: ASHA, content: 'hello', cause: 'app', slot: 'once' })
    const rerun = Promise.withResolvers<unknown>()
    const { fetch } = service
    service.fetch = async (...call) => {
      rerun.resolve(say())
      await found.promise
      return fetch(...call)
    }
    const first = say()
    await pass(0)
    const result = { via: 'freeform', send: { state: 'accepted', messageId: 'msg-1' } }
    expect(await first).toMatchObject(result)
    expect(await Promise.race([rerun.promise, new Promise((resolve) => void setImmediate(resolve))])).toMatchObject(
      result,
    )
    expect(service.phone).toHaveLength(1)
  })

  it('is left to the next process if this one stops', async () => {
    const { service, pass } = bench
    const { outbox } = bench.boot()
    await outbox.stop(0)
    expect(await record(outbox, 'hello', 'stored')).toMatchObject({ send: { state: 'ready' } })
    await pass(MINUTE)
    expect(service.asked).toEqual([])
    bench.boot()
    await pass(MINUTE)
    expect(service.phone).toMatchObject([{ said: 'hello' }])
  })
})

function record(outbox: Process['outbox'], said: string, wait?: 'stored') {
  const slot = `${said} ${Math.random()}`
  return outbox.recordSend({
    number: 'default',
    to: ASHA,
    content: said,
    cause: 'app',
    slot,
    ...(wait && { options: { wait } }),
  })
}
