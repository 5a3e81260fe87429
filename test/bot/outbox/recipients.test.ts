import { describe, expect, it } from 'vitest'
import { ASHA, type Bench, eachWithBench, type Process, STORED } from './bench.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

describe('a list of allowed recipients', () => {
  let bench: Bench
  eachWithBench((one) => (bench = one))

  const only = new Set(['255700000000'])
  const later = (process: Process, to = ASHA) =>
    process.record('Your order waits.', { to, slot: `pickup ${to}`, options: { at: '24h' } })

  it('applies to sends recorded before it was set: a copy of the database sends nothing to its customers [B SEND-01]', async () => {
    const { service, pass, jump } = bench
    const first = bench.boot()
    await later(first)
    await later(first, '255700000000')
    first.kill()
    const copy = bench.boot({ allowedRecipients: only })
    jump(DAY)
    await pass(10 * MINUTE)
    expect(service.phone.map(({ to }) => to)).toEqual(['255700000000'])
    expect(service.asked).toHaveLength(1)
    copy.kill()
    bench.boot()
    await pass(2 * MINUTE)
    expect(service.phone.map(({ to }) => to)).toEqual(['255700000000', ASHA])
  })

  it('applies to repeats too: a send with an unknown outcome stays unknown [B SEND-01, B IDEM-07]', async () => {
    const { service, pass, store } = bench
    const first = bench.boot()
    service.script = ['lost']
    void first.record('x', STORED)
    await pass(0)
    first.kill()
    bench.boot({ allowedRecipients: only })
    await pass(12 * MINUTE)
    expect(service.asked).toHaveLength(1)
    expect((await store.counts()).sends).toEqual({ unknown: 1 })
  })
})
