import { describe, expect, it } from 'vitest'
import type { Clock } from '../../../src/base/clock.ts'
import { ApiError } from '../../../src/client/client.ts'
import { failedSendOf, TooEarly } from '../../../src/bot/work/run-event.ts'
import type { RunningAttempt } from '../../../src/bot/work/running-attempt.ts'
import { type Bench, eachWithBench } from './bench.ts'

let bench: Bench
eachWithBench((one) => (bench = one))

it('a refusal that another process received is the same error here: its class, its code, not to be retried [B ERR-01, F-72]', async () => {
  const { service, pass } = bench
  const other = bench.boot()
  const asking = bench.boot({ client: (number) => (number === 'default' ? NEVER_ASKED : undefined) })
  service.script = ['taken', { status: 402, code: 'plan_limit_reached' }]
  // The other process has the customer's lane, and continues with its waiting sends.
  void other.record('hello')
  const refused = asking.record('again').catch((error: unknown) => error)
  await pass(5_000)
  const error = await refused
  expect(service.asked).toHaveLength(2)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ code: 'plan_limit_reached', status: 402, outcome: 'not_sent', retryable: false })
  expect((error as Error).message).toContain('was refused: 402 plan_limit_reached')
})

const NEVER_ASKED = { attempt: () => Promise.reject(new Error('the other process was to send it')) } as never

describe('a send that another process ended', () => {
  const failing = async (wait: 'accepted' | 'stored' = 'accepted') => {
    const { service, store, pass } = bench
    const other = bench.boot({ reportsFailures: true })
    const asking = bench.boot({
      reportsFailures: true,
      client: (number) => (number === 'default' ? NEVER_ASKED : undefined),
    })
    service.script = ['taken', { status: 422, code: 'validation_error' }]
    void other.record('hello')
    const asked = asking.record('again', { options: { wait } }).catch((error: unknown) => error)
    await pass(100)
    const [telling] = (await store.listDeliveries({ limit: 1, event: 'send.failed' })).deliveries
    const detail = telling && (await store.deliveryDetail(telling.seq))
    const clock = { wall: bench.now } as Clock
    const item = { delivery: { body: detail?.body } }
    return {
      asking,
      asked,
      heard: async () => failedSendOf({ item, deps: { store, clock } } as RunningAttempt),
    }
  }

  it('is not reported before a caller who waits elsewhere may have got it, and then not at all [F-107]', async () => {
    const { asked, heard } = await failing()
    await expect(heard()).rejects.toThrow(TooEarly)
    await bench.pass(5_000)
    expect(await asked).toMatchObject({ code: 'validation_error' })
    expect(await heard()).toBeUndefined()
  })

  it('is reported once nobody can wait any more, if the process of its caller has ended [F-107]', async () => {
    const { asking, heard } = await failing()
    asking.kill()
    await bench.pass(30_000)
    await expect(heard()).rejects.toThrow(TooEarly)
    await bench.pass(10_000)
    expect(await heard()).toMatchObject({ code: 'validation_error', send: { state: 'refused' } })
  })

  it('is reported at once if its caller did not wait [F-107]', async () => {
    const { heard } = await failing('stored')
    expect(await heard()).toMatchObject({ code: 'validation_error', send: { state: 'refused' } })
  })
})
