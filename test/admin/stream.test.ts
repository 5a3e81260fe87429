import { describe, expect, it } from 'vitest'
import type { Timers } from '../../src/base/clock.ts'
import { createStreams } from '../../src/admin/stream.ts'
import type { StreamReader } from '../../src/admin/http.ts'
import type { Change } from '../../src/admin/api.ts'
import type { Look } from '../../src/admin/views/health.ts'

const LISTS = ['deliveries', 'sends', 'conversations', 'timers', 'acts']

/** Streams over a look that a test changes, in a time that it moves. */
function world() {
  let now = 0
  let newest = 0
  let looks = 0
  let isStarted = true
  const due: { at: number; run: () => void; over: boolean }[] = []
  const timers: Timers = {
    after(ms, run) {
      const timer = { at: now + ms, run, over: false }
      due.push(timer)
      return () => void (timer.over = true)
    },
  }
  const look = async (): Promise<Look | undefined> => {
    looks++
    const zero = { deliveries: 0, items: 0, sends: 0 }
    const glance = {
      newest: { deliveries: newest, sends: 0, acts: 0 },
      resting: {},
      sends: {},
      conversations: 0,
      timers: 0,
    }
    return isStarted ? ({ glance, health: { waiting: zero, throttled: [] } } as unknown as Look) : undefined
  }
  const stream = createStreams({ look, timers: () => timers, now: () => now })
  return {
    join() {
      const heard: string[][] = []
      let [slow, ended] = [false, false]
      const reader: StreamReader = {
        write: (text) =>
          void heard.push((JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '') as Change).changed as string[]),
        isSlow: () => slow,
        end: () => void (ended = true),
      }
      const leave = stream().stream?.(reader) ?? (() => {})
      return { heard, leave, be: (given: boolean) => void (slow = given), ended: () => ended }
    },
    async pass(ms: number) {
      for (const until = now + ms; ; ) {
        const next = due.filter(({ at, over }) => !over && at <= until).sort((a, b) => a.at - b.at)[0]
        now = next?.at ?? until
        if (!next) return
        next.over = true
        next.run()
        // All that a look awaits is done in a turn.
        await new Promise(setImmediate)
      }
    },
    change: () => void newest++,
    stopBot: () => void (isStarted = false),
    looks: () => looks,
  }
}

describe('the stream of the admin page', () => {
  it('tells of all lists at once, and then of those that changed, once a second at most', async () => {
    const { join, pass, change } = world()
    const { heard } = join()
    await pass(0)
    expect(heard).toEqual([LISTS])
    change()
    change()
    await pass(1_000)
    await pass(1_000)
    expect(heard).toEqual([LISTS, ['deliveries', 'conversations', 'timers']])
  })

  it('shows each five seconds that it lives, though nothing changes', async () => {
    const { join, pass } = world()
    const { heard } = join()
    await pass(11_000)
    expect(heard).toEqual([LISTS, [], []])
  })

  it('looks once for all who look on, and not at all while nobody does', async () => {
    const { join, pass, looks } = world()
    const all = [join(), join(), join()]
    await pass(2_000)
    expect(looks()).toBe(3)
    for (const { leave } of all) leave()
    await pass(60_000)
    expect(looks()).toBe(3)
  })

  it('looks once a second also if somebody comes while a look is under way', async () => {
    const { join, pass, looks } = world()
    join()
    const first = pass(0)
    join()
    await first
    await pass(5_000)
    expect(looks()).toBeLessThanOrEqual(7)
  })

  it('keeps nothing for a slow reader, and tells it later of all that changed meanwhile', async () => {
    const { join, pass, change } = world()
    const { heard, be } = join()
    await pass(0)
    be(true)
    change()
    await pass(30_000)
    expect(heard).toHaveLength(1)
    be(false)
    await pass(1_000)
    expect(heard).toEqual([LISTS, ['deliveries', 'conversations', 'timers']])
  })

  it('ends after five minutes, so that whoever looks on passes the door again, and when the bot stops', async () => {
    const { join, pass, stopBot } = world()
    const first = join()
    await pass(299_000)
    expect(first.ended()).toBe(false)
    await pass(2_000)
    expect(first.ended()).toBe(true)
    const second = join()
    await pass(0)
    stopBot()
    await pass(1_000)
    expect(second.ended()).toBe(true)
  })

  it('serves a hundred at most: the one that looks on the longest makes room', async () => {
    const { join } = world()
    const [first, ...others] = Array.from({ length: 101 }, join)
    expect(first?.ended()).toBe(true)
    expect(others.some(({ ended }) => ended())).toBe(false)
  })
})
