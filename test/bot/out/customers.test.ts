import { expect, it } from 'vitest'
import { createClock } from '../../../src/base/clock.ts'
import { AGENT_HAS_CUSTOMER_MS } from '../../../src/bot/in/ingest.ts'
import { agentAt, createCustomers } from '../../../src/bot/out/customers.ts'
import type { Fence, TakenOver } from '../../../src/store/types/types.ts'
import type { Store } from '../../../src/store/store.ts'

const NOW = Date.UTC(2026, 2, 4, 9)
const MINUTE = 60_000
const who = { number: 'default', customer: '255712000101' }
const asked: TakenOver = { ...who, by: 'agent', since: NOW - MINUTE, until: NOW + AGENT_HAS_CUSTOMER_MS }

it('the service’s own agent is active if the customer requested it and nothing was sent since, else unknown [B GEN-06]', () => {
  const item = { takenOver: asked, lastSentAt: undefined }
  expect(agentAt(item, NOW)).toEqual({ state: 'active', asked: true })
  expect(agentAt({ ...item, lastSentAt: NOW - 2 * MINUTE }, NOW)).toEqual({ state: 'active', asked: true })
  expect(agentAt({ ...item, lastSentAt: NOW - 1 }, NOW)).toEqual({ state: 'unknown', asked: true })
  expect(agentAt({ ...item, takenOver: undefined }, NOW)).toEqual({ state: 'unknown', asked: false })
})

it('an attempt that lost its lane decides nothing about a customer: each call has its fence [R DEL-03, F-55]', async () => {
  const lost: Fence = { lane: 'default/255712000101', of: 1, owner: 1, run: 1 }
  const holds = async (fence: Fence | undefined) => fence !== lost
  const store = {
    takeOver: (_: unknown, fence?: Fence) => holds(fence),
    resume: (_: unknown, __: number, fence?: Fence) => holds(fence),
    forget: (_: unknown, __: number, fence?: Fence) => holds(fence),
  } as unknown as Store
  const customers = createCustomers({ store, clock: createClock(() => new Date(NOW)), oneBusiness: true })
  const { handOver, resume, forget } = customers
  for (const call of [() => handOver(who, MINUTE, lost), () => resume(who, lost), () => forget(who, lost)])
    await expect(call()).rejects.toMatchObject({ code: 'attempt_over' })
  await expect(customers.resume(who)).resolves.toBeUndefined()
})
