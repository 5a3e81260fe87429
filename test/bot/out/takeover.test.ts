import { describe, expect, it } from 'vitest'
import { createClock } from '../../../src/base/clock.ts'
import { AGENT_HAS_CUSTOMER_MS } from '../../../src/bot/in/ingest.ts'
import { agentOf, createTakeovers } from '../../../src/bot/out/takeover.ts'
import type { Fence, TakenOver } from '../../../src/store/types/types.ts'
import type { Answered, Store } from '../../../src/store/store.ts'

const NOW = Date.UTC(2026, 2, 4, 9)
const MINUTE = 60_000
const who = { number: 'default', customer: '255712000101' }
const asked: TakenOver = { ...who, by: 'agent', since: NOW - MINUTE, until: NOW + AGENT_HAS_CUSTOMER_MS }
const state = (change: Partial<Pick<Answered<'customerOf'>, 'takenOver' | 'lastSentAt'>> = {}) => ({
  takenOver: undefined,
  lastSentAt: undefined,
  ...change,
})

describe('the service’s own agent', () => {
  it('is active if the customer requested it and nothing was sent since [B GEN-06]', () => {
    expect(agentOf(state({ takenOver: asked }), NOW, undefined)).toEqual({ state: 'active', asked: true })
    const before = state({ takenOver: asked, lastSentAt: NOW - 2 * MINUTE })
    expect(agentOf(before, NOW, 10 * MINUTE).state).toBe('active')
  })

  it('is paused again by the app’s later sends, for as long as the option sets [B GEN-06]', () => {
    const after = state({ takenOver: asked, lastSentAt: NOW - 1 })
    expect(agentOf(after, NOW, MINUTE)).toEqual({ state: 'paused', asked: true })
    expect(agentOf(after, NOW + MINUTE, MINUTE)).toEqual({ state: 'unknown', asked: true })
  })

  it('is unknown if no option sets how long a send pauses it, because the service does not show that [B GEN-06]', () => {
    expect(agentOf(state({ lastSentAt: NOW - 1 }), NOW, undefined)).toEqual({ state: 'unknown', asked: false })
    expect(agentOf(state(), NOW, MINUTE)).toEqual({ state: 'unknown', asked: false })
  })
})

describe('an attempt that lost its lane', () => {
  it('hands no customer over, does not resume the bot and forgets nobody: each call has its fence [R DEL-03, F-55]', async () => {
    const lost: Fence = { lane: 'default/255712000101', of: 1, owner: 1, run: 1 }
    const holds = async (fence: Fence | undefined) => fence !== lost
    const store = {
      takeOver: (_: unknown, fence?: Fence) => holds(fence),
      resume: (_: unknown, __: number, fence?: Fence) => holds(fence),
      forget: (_: unknown, __: number, fence?: Fence) => holds(fence),
    } as unknown as Store
    const takeovers = createTakeovers({ store, clock: createClock(() => new Date(NOW)) })
    const over = { code: 'attempt_over' }
    await expect(takeovers.handOver(who, MINUTE, lost)).rejects.toMatchObject(over)
    await expect(takeovers.resume(who, lost)).rejects.toMatchObject(over)
    await expect(takeovers.forget(who, lost)).rejects.toMatchObject(over)
    await expect(takeovers.resume(who)).resolves.toBeUndefined()
  })
})
