import { describe, expect, it } from 'vitest'
import { ASHA, type Bench, openBench } from './bench.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('the ten minutes of an unknown outcome', () => {
  it('are ten minutes, although the wall clock leaps two hours ahead in an outage [B IDEM-07, F-76]', async () => {
    await using bench = openBench()
    bench.service.always = 'cut'
    void send(bench)
    await bench.pass(MINUTE)
    bench.step(2 * HOUR)
    await bench.pass(8.9 * MINUTE)
    expect(await state(bench)).toBe('attempting')
    await bench.pass(2 * MINUTE)
    expect(await state(bench)).toBe('unknown')
  })

  it.each([
    [10 * MINUTE - 1, 2, 'attempting'],
    [10 * MINUTE, 1, 'unknown'],
  ])('end at ten minutes and not later: after %i ms it was sent %i times [B IDEM-07, F-76]', async (ms, asked, as) => {
    await using bench = openBench()
    bench.service.always = 'cut'
    const first = bench.boot()
    void send(bench, first)
    await bench.pass(0)
    first.kill()
    bench.jump(ms)
    bench.boot()
    await bench.pass(0)
    expect(bench.service.asked).toHaveLength(asked)
    expect(await state(bench)).toBe(as)
  })
})

function send(bench: Bench, process = bench.boot()) {
  return process.outbox.recordSend({ number: 'default', to: ASHA, content: 'ready', cause: 'app', slot: '["order",7]' })
}

async function state({ store }: Bench): Promise<string> {
  const [only] = (await store.listSends({ limit: 2 })).sends
  return only?.state ?? 'none'
}
