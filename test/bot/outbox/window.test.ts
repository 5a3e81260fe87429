import { describe, expect, it } from 'vitest'
import { viaOf, windowAt } from '../../../src/bot/outbox/customers.ts'
import type { DueSend } from '../../../src/store/outbox/rows.ts'

const HOUR = 3_600_000
const last = Date.UTC(2026, 2, 4, 9, 15, 21)

describe('the 24-hour window', () => {
  it('is open until 23:59:59.999 after the last message and closed at exactly 24 hours [B GEN-04, F-90]', () => {
    expect(windowAt(last, last + 24 * HOUR - 1).open).toBe(true)
    expect(windowAt(last, last + 24 * HOUR).open).toBe(false)
    expect(windowAt(last, last).closesAt).toEqual(new Date('2026-03-05T09:15:21.000Z'))
  })

  it('is unknown if no message with a trusted time has arrived [B GEN-04]', () => {
    expect(windowAt(undefined, last)).toEqual({ open: 'unknown', closesAt: undefined })
  })
})

describe('the body of a send', () => {
  const fallback = { key: 'k:fallback', body: '{}' }
  const due = (change: {
    via?: 'freeform' | 'template'
    fallback?: typeof fallback
    last?: number
    unread?: boolean
  }) =>
    ({
      send: { via: change.via ?? 'freeform', fallback: change.fallback },
      lastInboundAt: change.last,
      unread: change.unread ?? false,
    }) as DueSend

  it('is the template at once if a trusted time says closed [B GEN-04]', () => {
    expect(viaOf(due({ last: last, fallback }), last + 25 * HOUR)).toBe('template')
  })

  it('is free-form if the window is open, unknown, or a delivery waits unread [B GEN-04]', () => {
    expect(viaOf(due({ last: last, fallback }), last + HOUR)).toBe('freeform')
    expect(viaOf(due({ fallback }), last)).toBe('freeform')
    expect(viaOf(due({ last: last, fallback, unread: true }), last + 25 * HOUR)).toBe('freeform')
  })

  it('is free-form if there is no template, because a refusal costs nothing [B GEN-04]', () => {
    expect(viaOf(due({ last: last }), last + 25 * HOUR)).toBe('freeform')
  })

  it('is the template for a template, inside the window and outside it [B GEN-05]', () => {
    expect(viaOf(due({ via: 'template', last: last }), last + HOUR)).toBe('template')
    expect(viaOf(due({ via: 'template', last: last }), last + 25 * HOUR)).toBe('template')
  })
})
