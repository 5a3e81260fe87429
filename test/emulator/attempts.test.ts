import { setImmediate as turnOver } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Attempts, createRetries } from '../../src/emulator/deliver/attempts.ts'
import { type Attempt, type Delivery, createHistory } from '../../src/emulator/deliver/delivery.ts'
import { createSubscriptions } from '../../src/emulator/deliver/subscriptions.ts'
import { DEFAULT_ASSUMPTIONS } from '../../src/emulator/model/assumptions.ts'
import { createSchedule } from '../../src/emulator/model/clock.ts'
import { manualTime } from './support/time.ts'

/** Retries over attempts that end when the test says so. */
function underTest(attemptsAtOnce: number) {
  const { timers, wall } = manualTime()
  const subscriptions = createSubscriptions({ subscription: () => 'sub_1' }, () => {})
  const subscription = subscriptions.register('http://127.0.0.1:9/x')
  const begun: string[] = []
  const ends = new Map<string, (status: number) => void>()
  const make: Attempts['make'] = ({ id }) =>
    new Promise((resolve) => {
      begun.push(id)
      ends.set(id, (status) => resolve({ outcome: { status, headers: {}, body: '' } } as Attempt))
    })
  const attempt = createRetries({
    schedule: createSchedule(timers, () => wall().getTime()),
    subscriptions,
    assumptions: { ...DEFAULT_ASSUMPTIONS, attemptsAtOnce },
    history: createHistory(() => wall().getTime()),
    attempts: { make, faultAt: () => undefined, again: () => Promise.reject(new Error('not here')) },
    closing: new AbortController().signal,
  })
  const start = (id: string) => attempt({ id, subscription, state: 'pending' } as Delivery)
  const end = async (id: string, status: number) => {
    ends.get(id)?.(status)
    await turnOver()
  }
  return { begun, start, end }
}

describe('attempts', () => {
  it('are made so many at a time at most, the others in their order, also after one that fails [E DEL-08]', async () => {
    const { begun, start, end } = underTest(2)
    const all = ['0', '1', '2', '3'].map(start)
    await turnOver()
    expect(begun).toEqual(['0', '1'])
    await end('1', 500)
    expect(begun).toEqual(['0', '1', '2'])
    await end('0', 200)
    expect(begun).toEqual(['0', '1', '2', '3'])
    await end('2', 200)
    await end('3', 200)
    await Promise.all(all)
  })
})
