import { describe, expect, it } from 'vitest'
import { ASHA, type Bench, eachWithBench, type Process, STORED } from './bench.ts'

const MINUTE = 60_000

describe('a number with failing sends', () => {
  let bench: Bench
  eachWithBench((one) => (bench = one))

  it('probes once a minute through an outage of an hour, and then sends waiting messages [B ERR-05, F-78, F-70]', async () => {
    const { service, pass } = bench
    service.always = { status: 503 }
    const process = bench.boot()
    await Promise.all(Array.from({ length: 100 }, (_, index) => record(process, String(255_712_000_000 + index))))
    await pass(60 * MINUTE)
    // 64 at once before it is known as an outage, then ever longer pauses up to a minute.
    expect(service.asked.length).toBeLessThan(170)
    // Those that asked ask again: no other is put in doubt before their ten minutes are over.
    expect(new Set(service.asked.slice(0, 80)).size).toBeLessThanOrEqual(64)
    const last = service.asked.length
    await pass(10 * MINUTE)
    expect(service.asked.length - last).toBeLessThanOrEqual(20)
    service.always = undefined
    await pass(3 * MINUTE)
    const { sends } = await bench.store.counts()
    // What was asked for in the outage and never answered is a person's to settle; nothing else is left over.
    expect(Object.keys(sends).toSorted()).toEqual(['accepted', 'unknown'])
    expect(sends['unknown']).toBeLessThanOrEqual(72)
    expect(sends['accepted']).toBeGreaterThanOrEqual(28)
    expect(new Set(service.phone.map(({ to }) => to)).size).toBe(sends['accepted'])
  })

  it('uses up nothing at 429: all go out in order once the number may send again [B ERR-05, F-70]', async () => {
    const { service, pass } = bench
    const process = bench.boot()
    service.always = { status: 429, code: 'rate_limited' }
    for (const nth of [1, 2, 3]) for (const to of [ASHA, '255712000102']) await record(process, to, `${nth}`)
    await pass(20 * MINUTE)
    // 1, 2, 4 … 60 s, half of it chance: about one a minute, for the whole number.
    expect(service.asked.length).toBeLessThan(40)
    expect(service.asked.length).toBeGreaterThan(15)
    service.always = undefined
    await pass(2 * MINUTE)
    const toAsha = service.phone.filter(({ to }) => to === ASHA).map(({ said }) => said)
    expect(toAsha).toEqual(['1', '2', '3'])
    expect(service.phone).toHaveLength(6)
    expect(await bench.store.counts()).toMatchObject({ sends: { accepted: 6 } })
  })

  it.each([
    ['429', { status: 429, code: 'rate_limited', retryAfter: 25 }, 25_000],
    ['503', { status: 503, retryAfter: 25 }, 25_000],
    ['429, for a minute at most', { status: 429, retryAfter: 86_400 }, MINUTE],
  ])('waits with the whole number for as long as the service requests: %s [B ERR-03, F-70]', async (_, turn, asked) => {
    const { service, pass } = bench
    const process = bench.boot()
    service.script = [turn]
    await record(process, ASHA)
    await pass(0)
    await record(process, '255712000102')
    await pass(asked - 1)
    expect(service.asked).toHaveLength(1)
    await pass(2_000)
    expect(service.phone).toHaveLength(2)
  })

  it('probes once a minute while it is stopped, and continues automatically when it works again [B ERR-05, F-72]', async () => {
    const { service, pass } = bench
    const process = bench.boot()
    service.always = { status: 403, code: 'account_suspended' }
    for (const nth of [1, 2]) for (const to of [ASHA, '255712000102']) await record(process, to, `${nth}`)
    await pass(30 * MINUTE)
    expect(service.asked.length).toBeGreaterThanOrEqual(30)
    expect(service.asked.length).toBeLessThanOrEqual(34)
    expect(await bench.store.counts()).toMatchObject({ sends: { held: 4 } })
    service.always = undefined
    await pass(MINUTE)
    expect(service.phone.filter(({ to }) => to === ASHA).map(({ said }) => said)).toEqual(['1', '2'])
    expect(await bench.store.counts()).toMatchObject({ sends: { accepted: 4 } })
  })

  it('repeats an unknown outcome for ten minutes across a crash, and then continues with the next send [B IDEM-07, F-76]', async () => {
    const { service, pass } = bench
    const first = bench.boot()
    service.script = ['lost']
    service.remembers = false
    await record(first, ASHA, 'one')
    await record(first, ASHA, 'two')
    await pass(0)
    first.kill()
    service.always = 'cut'
    await pass(30_000)
    bench.boot()
    await pass(9 * MINUTE)
    expect(new Set(service.bodies).size).toBe(1)
    expect(new Set(service.asked).size).toBe(1)
    await pass(2 * MINUTE)
    service.always = undefined
    await pass(2 * MINUTE)
    expect(service.phone.map(({ said }) => said)).toEqual(['one', 'two'])
    expect(await bench.store.counts()).toMatchObject({ sends: { unknown: 1, accepted: 1 } })
  })
})

function record(process: Process, to: string, content = 'hello') {
  return process.record(content, { to, slot: `${to} ${content}`, ...STORED })
}
