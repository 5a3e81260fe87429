import { describe, expect, it } from 'vitest'
import { highest } from '../../src/outbox/send.ts'

const orders = (all: readonly string[]): string[][] =>
  all.length < 2 ? [[...all]] : all.flatMap((one, at) => orders(all.toSpliced(at, 1)).map((rest) => [one, ...rest]))

describe('the status that is shown of a send', () => {
  it('is the highest, in whatever order the reports come [B EVT-04, F-60]', () => {
    for (const told of orders(['sent', 'delivered', 'read', 'played'])) expect(highest(told)).toBe('played')
    for (const told of orders(['delivered', 'sent', 'read'])) expect(highest(told)).toBe('read')
    expect(highest(['sent'])).toBe('sent')
    expect(highest([])).toBeUndefined()
  })

  it('is failed where nothing above sent is known, and not where it did arrive [B EVT-04]', () => {
    for (const told of orders(['sent', 'failed'])) expect(highest(told)).toBe('failed')
    expect(highest(['failed'])).toBe('failed')
    for (const told of orders(['sent', 'failed', 'delivered'])) expect(highest(told)).toBe('delivered')
  })

  it('keeps a value that nobody has heard of, and ranks it above nothing that is known [B EVT-04]', () => {
    expect(highest(['warned'])).toBe('warned')
    for (const told of orders(['warned', 'delivered'])) expect(highest(told)).toBe('delivered')
  })
})
