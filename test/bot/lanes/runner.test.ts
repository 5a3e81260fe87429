import { beforeEach, describe, expect, it } from 'vitest'
import { createClock } from '../../../src/base/clock.ts'
import type { Log } from '../../../src/base/log.ts'
import { LaneRunner } from '../../../src/bot/lanes/runner.ts'
import { type ManualTime, manualTime } from '../../emulator/support/time.ts'
import { type FakeLanes, fakeLanes, turn } from './fake-lanes.ts'
import { numberOf } from '../../../src/store/database/lane-names.ts'

/** An item that no claim gives. */
const NEW = 1_000

describe('lanes', () => {
  let lanes: FakeLanes
  let time: ManualTime
  let runner: LaneRunner<string>
  let said: string[]
  let lostRuns: number[]
  beforeEach(() => {
    lanes = fakeLanes()
    time = manualTime()
    said = []
    lostRuns = []
    runner = open(2)
  })

  it('run one piece of work of a lane at a time, and several lanes at once [R DEL-03]', async () => {
    lanes.waiting.set('asha', ['1', '2', '3']).set('juma', ['1'])
    await nudge()
    expect(lanes.running).toEqual(['asha:1', 'juma:1'])
    await lanes.end('asha:1')
    expect(lanes.running).toEqual(['juma:1', 'asha:2'])
    await lanes.end('asha:2')
    await lanes.end('asha:3')
    expect(lanes.ran).toEqual(['asha:1', 'juma:1', 'asha:2', 'asha:3'])
  })

  it('are released after so many turns, so that a long one leaves room for others', async () => {
    runner = open(1)
    lanes.waiting
      .set(
        'deep',
        Array.from({ length: 120 }, (_, index) => `${index}`),
      )
      .set('juma', ['1'])
    await nudge()
    for (let index = 0; lanes.running[0]?.startsWith('deep:'); index++) await lanes.end(`deep:${index}`)
    expect(lanes.running).toEqual(['juma:1'])
    expect(lanes.ran).toHaveLength(51)
    await lanes.end('juma:1')
    expect(lanes.running).toEqual(['deep:50'])
  })

  it('are polled every second, so that work which another process left is found without a wake-up', async () => {
    await nudge()
    expect(lanes.claims).toHaveLength(1)
    lanes.waiting.set('asha', ['1'])
    await pass(999)
    expect(lanes.running).toEqual([])
    await pass(1)
    expect(lanes.running).toEqual(['asha:1'])
    await lanes.end('asha:1')
    const before = lanes.claims.length
    for (let second = 0; second < 5; second++) {
      await pass(1_000)
    }
    expect(lanes.claims).toHaveLength(before + 5)
  })

  it('cause no storm of polls: neither by a time that has passed, nor by a clock that goes back [F-61]', async () => {
    lanes.nextAt = time.wall().getTime() - 3_600_000
    await nudge()
    expect(lanes.claims).toHaveLength(1)
    expect(time.running).toBe(1)
    for (let ms = 0; ms < 10; ms++) {
      await pass(1)
    }
    expect(lanes.claims.length).toBeLessThanOrEqual(11)
    // The clock went back by an hour: work that is due "in an hour" is polled within a second all the same.
    lanes.nextAt = time.wall().getTime() + 3_600_000
    await pass(1)
    const before = lanes.claims.length
    await pass(1_000)
    expect(lanes.claims).toHaveLength(before + 1)
  })

  it('lose no wake-up that comes in the middle of a poll', async () => {
    let open = () => {}
    lanes.gate = new Promise((resolve) => {
      open = resolve
    })
    await nudge()
    await nudge()
    await nudge()
    expect(lanes.claims).toHaveLength(1)
    open()
    await turn()
    expect(lanes.claims).toHaveLength(2)
  })

  it('are polled again after a poll that failed, and the log says so once, however long the outage [F-50]', async () => {
    lanes.gate = Promise.reject(new Error('the disk is full'))
    lanes.gate.catch(() => {})
    await nudge()
    for (let second = 0; second < 60; second++) {
      await pass(1_000)
    }
    expect(lanes.claims.length).toBeGreaterThan(50)
    expect(said).toEqual(['looking for work failed; it is tried again'])
    lanes.gate = Promise.resolve()
    lanes.waiting.set('asha', ['1'])
    await pass(1_000)
    expect(lanes.running).toEqual(['asha:1'])
  })

  it('begin what has just come behind what waits for room, until nothing waits any more [R DEL-03]', async () => {
    runner = open(1)
    lanes.waiting.set('asha', ['1'])
    await nudge()
    lanes.waiting.set('juma', ['1'])
    await nudge()
    const claims = Promise.withResolvers<void>()
    lanes.gate = claims.promise
    await lanes.end('asha:1')
    expect(await begins('neema')).toBe(false)
    claims.resolve()
    await turn()
    expect(lanes.running).toEqual(['juma:1'])
    await lanes.end('juma:1')
    expect(await begins('neema')).toBe(true)
  })

  it('do not begin what a late answer has brought if this process was declared dead meanwhile [F-55]', async () => {
    const answer = Promise.withResolvers<void>()
    lanes.commits = answer.promise
    lanes.waiting.set('asha', ['1'])
    await nudge()
    lanes.lease.current = 'two'
    answer.resolve()
    await turn()
    expect(lanes.ran).toEqual([])
    expect(runner.running()).toBe(0)
    lanes.waiting.set('neema', ['1'])
    await nudge()
    expect(lanes.claims.at(-1)?.processName).toBe('two')
    expect(lanes.running).toEqual(['neema:1'])
  })

  it('are given back after their work if their lease is nearly over by then, and claimed again [F-55]', async () => {
    lanes.waiting.set('asha', ['1', '2'])
    await nudge()
    lanes.lease.fresh = false
    await lanes.end('asha:1')
    expect(lanes.released).toEqual(['asha'])
    await nudge()
    expect(lanes.running).toEqual(['asha:2'])
  })

  it('continue beside one whose work could not be settled, and the log says so', async () => {
    lanes.waiting.set('asha', ['1']).set('juma', ['1', '2'])
    await nudge()
    await lanes.fail('asha:1', new Error('no'))
    expect(said).toEqual(['work in a lane was not settled; it is begun again'])
    await lanes.end('juma:1')
    expect(lanes.running).toEqual(['juma:2'])
    lanes.waiting.set('neema', ['1'])
    await nudge()
    expect(lanes.running).toEqual(['juma:2', 'neema:1'])
  })

  it('requeue what a commit in doubt has begun for nobody, once the database tells, and nothing that runs [R DEL-03]', async () => {
    lanes.waiting.set('asha', ['1', '2'])
    await nudge()
    await lanes.end('asha:1')
    const fence = { lane: 'shop/1', owner: 1, run: 1 }
    lanes.marked = [
      { ...fence, of: 2 },
      { ...fence, of: NEW },
    ]
    lanes.away = true
    runner.recheck()
    await turn()
    expect(lanes.freed).toEqual([])
    lanes.away = false
    await pass(1_000)
    await turn()
    expect(lanes.freed).toEqual([NEW])
    expect(lanes.running).toEqual(['asha:2'])
  })

  it('begin what a settlement has begun, whatever is thrown behind it [R DEL-03]', async () => {
    lanes.waiting.set('asha', ['1', '2', '3'])
    await nudge()
    lanes.afterwards = Object.assign(new Error('x'), { message: { code: 'E_STOCK' } })
    for (const one of ['1', '2', '3']) await lanes.end(`asha:${one}`)
    expect(lanes.ran).toEqual(['asha:1', 'asha:2', 'asha:3'])
    expect(lanes.putOff).toEqual([])
    expect(said).toEqual(Array.from({ length: 3 }, () => 'what follows a settlement failed'))
    expect(runner.running()).toBe(0)
  })

  it('begin what a claim has begun, whatever is thrown behind it [R DEL-03]', async () => {
    lanes.waiting.set('asha', ['1'])
    lanes.work.claimed = () => {
      throw new Error('a report failed')
    }
    await nudge()
    expect(lanes.running).toEqual(['asha:1'])
  })

  it('requeue what was lost: marked as running, and known to nobody here, for a minute; and tell of it [R DEL-03]', async () => {
    lanes.waiting.set('asha', ['1'])
    await nudge()
    const fence = { lane: 'shop/1', owner: 1 }
    lanes.marked = [
      { ...fence, of: 1, run: 1 },
      { ...fence, of: NEW, run: 1 },
    ]
    await minutes(1)
    expect(lanes.freed).toEqual([])
    lanes.marked = lanes.marked.map((one) => (one.of === NEW ? { ...one, run: 2 } : one))
    await minutes(1)
    expect(lanes.freed).toEqual([])
    await minutes(1)
    expect(lanes.freed).toEqual([NEW])
    expect(lostRuns).toEqual([1])
    // Its handler hangs, which is no bug.
    expect(lanes.running).toEqual(['asha:1'])
  })

  it('requeue nothing before what runs is compared with the store a minute later, however long the store was away', async () => {
    await nudge()
    lanes.marked = [{ lane: 'shop/1', owner: 1, of: NEW, run: 1 }]
    lanes.away = true
    await minutes(5)
    lanes.away = false
    await seconds(2)
    expect(lanes.freed).toEqual([])
    await minutes(1)
    expect(lanes.freed).toEqual([NEW])
  })

  it('requeue work that failed and could not be put off, as soon as the database is there again', async () => {
    lanes.waiting.set('asha', ['1'])
    await nudge()
    lanes.away = true
    lanes.marked = [{ lane: 'asha', of: 1, owner: 1, run: 1 }]
    await lanes.fail('asha:1', new Error('no'))
    lanes.away = false
    await pass(1_000)
    await turn()
    expect(lanes.freed).toEqual([1])
  })

  it('wait a second before they begin work again that could be neither settled nor put off, however much waits for room', async () => {
    lanes.waiting.set('asha', ['1']).set('juma', ['1']).set('neema', ['1'])
    await nudge()
    lanes.work.putOff = () => Promise.reject(new Error('no'))
    lanes.marked = [{ lane: 'asha', of: 1, owner: 1, run: 1 }]
    await lanes.fail('asha:1', new Error('no'))
    await turn()
    expect(lanes.freed).toEqual([])
    await pass(1_000)
    await turn()
    expect(lanes.freed).toEqual([1])
    expect(lanes.running).toEqual(['juma:1', 'neema:1'])
  })

  it('claim nothing more at a stop, end the running work, and release the rest of each lane [F-58]', async () => {
    lanes.waiting.set('asha', ['1', '2']).set('juma', ['1'])
    await nudge()
    const before = lanes.claims.length
    const stopped = runner.stop(10_000)
    lanes.waiting.set('neema', ['1'])
    await nudge()
    await lanes.end('juma:1')
    await lanes.end('asha:1')
    expect(await stopped).toBe(true)
    expect(lanes.ran).toEqual(['asha:1', 'juma:1'])
    expect(lanes.released).toEqual(['juma', 'asha'])
    expect(lanes.claims).toHaveLength(before)
    expect(time.running).toBe(0)
  })

  it('stop at once if nothing runs, and resolve with false if something still runs when the time is over [F-58]', async () => {
    expect(await open(2).stop(10_000)).toBe(true)
    lanes.waiting.set('asha', ['1'])
    await nudge()
    const stopped = runner.stop(10_000)
    await pass(9_999)
    time.pass(1)
    expect(await stopped).toBe(false)
    expect(lanes.running).toEqual(['asha:1'])
    const again = runner.stop(2_000)
    await lanes.end('asha:1')
    expect(await again).toBe(true)
  })

  it('leave room to other numbers, and continue with a number as soon as it has room again [F-55]', async () => {
    runner = open(8, 2)
    for (let customer = 1; customer <= 9; customer++) lanes.waiting.set(`noisy/${customer}`, ['x'])
    await nudge()
    expect(lanes.running).toHaveLength(7)
    expect(await begins('noisy/10')).toBe(false)
    expect(await begins('quiet/1')).toBe(true)
    await lanes.end('noisy/1:x')
    // Nothing is free: the quiet number has the last room, and the noisy one has no more than its part.
    expect(lanes.running).toHaveLength(8)
    expect(lanes.claims.at(-1)).toMatchObject({ after: 'noisy', limit: 1 })
    await lanes.end('quiet/1:new')
    expect(lanes.running).toHaveLength(7)
  })

  it('have room again that was reserved for a commit which failed, or began nothing [R DEL-03]', async () => {
    for (let one = 0; one < 2; one++) (await runner.reserve('shop')).cancel()
    for (let one = 0; one < 2; one++) (await runner.reserve('shop')).run(undefined)
    expect([await begins('asha'), await begins('juma'), await begins('neema')]).toEqual([true, true, false])
  })

  it('stop once each commit with reserved room has an answer, and what it has begun has ended [F-58]', async () => {
    const arriving = await runner.reserve('shop')
    const stopped = runner.stop(10_000)
    arriving.run({ fence: { lane: 'shop/1', of: NEW, owner: 1, run: 1 }, work: 'new' })
    await turn()
    expect(lanes.running).toEqual(['shop/1:new'])
    await lanes.end('shop/1:new')
    expect(await stopped).toBe(true)
    expect((await runner.reserve('shop')).begin).toBeUndefined()
  })

  it('leave room to what arrives while a claim looks for work that is not known to wait', async () => {
    runner = open(10)
    lanes.gate = new Promise(() => {})
    await nudge()
    const began: boolean[] = []
    for (let customer = 1; customer <= 6; customer++) began.push(await begins(`${customer}`))
    expect(began).toEqual([true, true, true, true, true, true])
  })

  it('begin what arrives in the turn in which other work ends, although there was no room when it came', async () => {
    runner = open(1)
    const first = await runner.reserve('shop')
    const second = runner.reserve('shop')
    for (let step = 0; step < 20; step++) await Promise.resolve()
    first.run(undefined)
    expect((await second).begin).toBeDefined()
  })

  it('leave their room to others before they settle, if nothing is known to wait behind them', async () => {
    lanes.settlements = new Promise(() => {})
    expect([await begins('asha'), await begins('juma'), await begins('neema')]).toEqual([true, true, false])
    await lanes.end('asha:new')
    await nudge()
    expect(await begins('neema')).toBe(true)
  })

  /** Asks for room for work that has just come; tells if it began. */
  async function begins(lane: string): Promise<boolean> {
    const room = await runner.reserve(numberOf(lane))
    room.run(room.begin && { fence: { lane, of: NEW, owner: 1, run: 1 }, work: 'new' })
    await turn()
    return room.begin !== undefined
  }

  function open(atOnce: number, numbers = 1): LaneRunner<string> {
    const log: Log = { debug: hear, info: hear, warn: hear, error: hear }
    const clock = createClock(time.wall)
    const lost = (count: number) => void lostRuns.push(count)
    const how = { begins: true, lanes: atOnce, numbers, clock, timers: time.timers, log, lost }
    return new LaneRunner({ work: lanes.work, lease: lanes.lease, ...how })
  }

  function hear(_about: unknown, message = ''): void {
    said.push(message)
  }

  async function pass(ms: number): Promise<void> {
    time.pass(ms)
    await turn()
  }

  async function minutes(count: number): Promise<void> {
    await seconds(60 * count)
  }

  async function seconds(count: number): Promise<void> {
    for (let passed = 0; passed < count; passed++) {
      await pass(1_000)
      await turn()
    }
  }

  async function nudge(): Promise<void> {
    runner.wake()
    await turn()
  }
})
