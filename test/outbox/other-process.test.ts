import { afterEach, beforeEach, expect, it } from 'vitest'
import { PlanLimitReachedError } from '../../src/client/index.ts'
import { ASHA, type Bench, openBench } from './bench.ts'

let bench: Bench
beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

it('a refusal that another process got is the same error here: of its type, with the code, not to be retried [B ERR-01, F-72]', async () => {
  const { service, pass } = bench
  const other = bench.boot()
  const asking = bench.boot({ client: (number) => (number === 'default' ? NEVER_ASKED : undefined) })
  service.script = ['taken', { status: 402, code: 'plan_limit_reached' }]
  // The other process holds the customer's lane, and goes on with what waits in it.
  const hello = { number: 'default', to: ASHA, content: 'hello', cause: 'app' }
  void other.outbox.recordSend({ ...hello, slot: 'a' })
  const refused = asking.outbox.recordSend({ ...hello, slot: 'b' }).catch((error: unknown) => error)
  await pass(5_000)
  const error = await refused
  expect(service.asked).toHaveLength(2)
  expect(error).toBeInstanceOf(PlanLimitReachedError)
  expect(error).toMatchObject({ code: 'plan_limit_reached', status: 402, outcome: 'not_sent', retryable: false })
  expect((error as Error).message).toContain('was refused: 402 plan_limit_reached')
})

const NEVER_ASKED = {
  attempt: () => Promise.reject(new Error('the other process was to send it')),
} as never
