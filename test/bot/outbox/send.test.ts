import { describe, expect, it } from 'vitest'
import { highest } from '../../../src/bot/outbox/send.ts'

const orders = (all: readonly string[]): string[][] =>
  all.length < 2 ? [[...all]] : all.flatMap((one, at) => orders(all.toSpliced(at, 1)).map((rest) => [one, ...rest]))

describe('the status of a send', () => {
  it('is the highest, in whatever order the reports arrive [B EVT-04, F-60]', () => {
    for (const statuses of orders(['sent', 'delivered', 'read', 'played'])) expect(highest(statuses)).toBe('played')
    for (const statuses of orders(['delivered', 'sent', 'read'])) expect(highest(statuses)).toBe('read')
    expect(highest(['sent'])).toBe('sent')
    expect(highest([])).toBeUndefined()
  })

  it('is failed if nothing above sent is known, and not if the message did arrive [B EVT-04]', () => {
    for (const statuses of orders(['sent', 'failed'])) expect(highest(statuses)).toBe('failed')
    expect(highest(['failed'])).toBe('failed')
    for (const statuses of orders(['sent', 'failed', 'delivered'])) expect(highest(statuses)).toBe('delivered')
  })

  it('keeps an unknown value, and ranks it below every known one [B EVT-04]', () => {
    expect(highest(['warned'])).toBe('warned')
    for (const statuses of orders(['warned', 'delivered'])) expect(highest(statuses)).toBe('delivered')
  })
})
