import { describe, expect, it } from 'vitest'
import { createClock } from '../../../src/base/clock.ts'
import { AGENT_HAS_CUSTOMER_MS, customerMethods } from '../../../src/features/people/take-over.ts'
import type { Fence } from '../../../src/store/work/lanes.ts'
import { arrive, begin } from '../../store/acts.ts'
import { item } from '../../store/samples.ts'
import { ASHA, type Bench, eachWithBench, STORED } from './bench.ts'

const MINUTE = 60_000
const WHO = { number: 'default', customer: ASHA }

const REPLY = { cause: 'message:1', slot: 'x/reply#1', reply: { expiresAt: undefined } }

describe('a reply that waits while its customer is taken over', () => {
  let bench: Bench
  eachWithBench((one) => (bench = one))

  it('is not sent when the number’s throttle opens, because it would pause the agent again [B GEN-07]', async () => {
    const { results, own } = await held()
    await asksForAgent()
    await passThrottle()
    expect(await Promise.all(results)).toEqual([expect.objectContaining({ via: 'stored' })])
    expect(bench.service.phone.map(({ said }) => said)).toEqual(['own'])
    expect((await bench.store.counts()).sends).toEqual({ accepted: 1, skipped: 1 })
    expect(await own).toMatchObject({ via: 'stored' })
  })

  it('is not sent if a person has the customer by then', async () => {
    await held()
    await handOver()
    await passThrottle()
    expect(bench.service.phone.map(({ said }) => said)).toEqual(['own'])
  })

  it('is sent if it is of the handler that handed the customer over', async () => {
    await held()
    await arrive(bench.store, [item({ cause: { identity: undefined, signed: 'message:1' } })])
    const { fence } = await begin(bench.store)
    await handOver(fence)
    await passThrottle()
    expect(bench.service.phone.map(({ said }) => said)).toEqual(['reply', 'own'])
  })

  it('is sent if the app called resume() meanwhile, and if the take-over has ended [B GEN-07]', async () => {
    await held()
    await asksForAgent()
    await customerMethods.resume(customer())()
    await passThrottle()
    expect(bench.service.phone.map(({ said }) => said)).toEqual(['reply', 'own'])
  })

  it('is repeated if it may have arrived [B GEN-07, B IDEM-07]', async () => {
    const { service, pass } = bench
    service.script = ['lost']
    const sent = bench.boot().record('reply', REPLY)
    await pass(0)
    await asksForAgent()
    await pass(5_000)
    expect(await sent).toMatchObject({ via: 'freeform', replayed: true })
  })

  /** A reply and a message of the app's own wait for a number that is stopped. */
  async function held() {
    bench.service.always = { status: 401, code: 'not_authenticated' }
    const process = bench.boot()
    const results = [process.record('reply', REPLY)]
    const own = process.record('own', STORED)
    await bench.pass(2_000)
    return { results, own }
  }

  async function passThrottle(): Promise<void> {
    bench.service.always = undefined
    await bench.pass(2 * MINUTE)
  }

  function asksForAgent(): Promise<boolean> {
    const since = bench.now()
    return bench.store.takeOver({ ...WHO, by: 'agent', since, until: since + AGENT_HAS_CUSTOMER_MS })
  }

  function handOver(fence?: Fence): Promise<void> {
    return customerMethods.handOver(customer(fence))({ for: MINUTE * 9 })
  }

  function customer(fence?: Fence) {
    const clock = createClock(() => new Date(bench.now()))
    return { who: WHO, fence, deps: { store: bench.store, clock } }
  }
})
