import { describe, expect, it } from 'vitest'
import type { Timers } from '../../src/base/clock.ts'
import { createStreams } from '../../src/admin/stream.ts'

/** Streams over a state that a test changes, in a time that it moves. */
function world() {
  let now = 0
  let newest = 0
  let reads = 0
  let isStarted = true
  const due: { at: number; run: () => void; over: boolean }[] = []
  const timers: Timers = {
    after(ms, run) {
      const timer = { at: now + ms, run, over: false }
      due.push(timer)
      return () => void (timer.over = true)
    },
  }
  const openStream = createStreams({
    async read() {
      reads++
      return isStarted ? { state: newest, mark: String(newest) } : undefined
    },
    timers: () => timers,
    now: () => now,
  })
  // All that a read awaits is done in a turn.
  const turn = () => new Promise(setImmediate)
  return {
    join() {
      const heard: string[] = []
      let [slow, ended] = [false, false]
      const reader = openStream().body!.getReader()
      const listen = async () => {
        while (!slow) {
          const { done, value } = await reader.read()
          if (done) return void (ended = true)
          const [, event] = /^event: (.*)/.exec(Buffer.from(value).toString()) ?? []
          if (event !== undefined) heard.push(event)
        }
      }
      void listen()
      return {
        heard,
        leave: () => void reader.cancel(),
        /** Takes one more event, and then none until it is not slow. */
        be(given: boolean) {
          slow = given
          if (!given) void listen()
        },
        ended: () => ended,
      }
    },
    async pass(ms: number) {
      for (const until = now + ms; ; ) {
        const next = due.filter(({ at, over }) => !over && at <= until).sort((a, b) => a.at - b.at)[0]
        now = next?.at ?? until
        if (!next) return
        next.over = true
        next.run()
        await turn()
      }
    },
    turn,
    change: () => void newest++,
    stopBot: () => void (isStarted = false),
    reads: () => reads,
  }
}

describe('the stream of the admin page', () => {
  it('tells the state immediately, and then each change, once a second at most', async () => {
    const { join, pass, change } = world()
    const { heard } = join()
    await pass(0)
    expect(heard).toEqual(['change'])
    change()
    change()
    await pass(1_000)
    await pass(1_000)
    expect(heard).toEqual(['change', 'change'])
  })

  it('shows each five seconds that it lives, though nothing changes', async () => {
    const { join, pass } = world()
    const { heard } = join()
    await pass(11_000)
    expect(heard).toEqual(['change', 'alive', 'alive'])
  })

  it('reads once for all viewers, and never without a viewer', async () => {
    const { join, pass, reads } = world()
    const all = [join(), join(), join()]
    await pass(2_000)
    expect(reads()).toBe(3)
    for (const { leave } of all) leave()
    await pass(60_000)
    expect(reads()).toBe(3)
  })

  it('keeps nothing for a slow reader, and sends it the latest state later', async () => {
    const { join, pass, change } = world()
    const { heard, be } = join()
    await pass(0)
    be(true)
    for (let second = 0; second < 30; second++) {
      change()
      await pass(1_000)
    }
    be(false)
    await pass(1_000)
    expect(heard.length).toBeLessThan(6)
    expect(heard.length).toBeGreaterThan(1)
  })

  it('ends after five minutes, so that the viewer passes the door again, and when the bot stops', async () => {
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

  it('serves a hundred at most: the oldest viewer makes room', async () => {
    const { join, turn } = world()
    const [first, ...others] = Array.from({ length: 101 }, join)
    await turn()
    expect(first?.ended()).toBe(true)
    expect(others.some(({ ended }) => ended())).toBe(false)
  })
})
