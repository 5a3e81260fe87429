import { describe, expect, it } from 'vitest'
import { type DueSend, type SendingRules, viaOf } from '../../../src/store/outbox/send-attempts.ts'

const HOUR = 3_600_000
const last = Date.UTC(2026, 2, 4, 9, 15, 21)

describe('the body of a send', () => {
  const fallback = { key: 'k:fallback', body: '{}' }
  interface Given {
    via?: 'freeform' | 'template'
    fallback?: typeof fallback
    last?: number
    unread?: boolean
    isMarketing?: boolean
  }
  const viaAt = (now: number, { last, unread = false, via = 'freeform', ...send }: Given, mayBeAhead = false) =>
    viaOf(
      { send: { via, ...send }, lastInboundAt: last, unread } as DueSend,
      {
        clock: { wall: () => now, service: () => now },
        lease: { mayBeAhead: () => mayBeAhead },
        windowMs: 24 * HOUR,
      } as SendingRules,
    )

  it('is the template at once if a trusted time says closed [B GEN-04]', () => {
    expect(viaAt(last + 25 * HOUR, { last, fallback })).toBe('template')
  })

  it('is free-form if the window is open, unknown, or a delivery waits unread [B GEN-04]', () => {
    expect(viaAt(last + HOUR, { last, fallback })).toBe('freeform')
    expect(viaAt(last, { fallback })).toBe('freeform')
    expect(viaAt(last + 25 * HOUR, { last, fallback, unread: true })).toBe('freeform')
  })

  it('is free-form if the clock may be ahead [B GEN-04]', () => {
    expect(viaAt(last + 25 * HOUR, { last, fallback }, true)).toBe('freeform')
  })

  it('of marketing is the template unless the window is known to be open [B GEN-04]', () => {
    const isMarketing = true
    expect(viaAt(last + 24 * HOUR - 1, { last, fallback, isMarketing })).toBe('freeform')
    expect(viaAt(last + 24 * HOUR, { last, fallback, isMarketing, unread: true })).toBe('template')
    expect(viaAt(last, { fallback, isMarketing })).toBe('template')
  })

  it('is free-form if there is no template, because a refusal costs nothing [B GEN-04]', () => {
    expect(viaAt(last + 25 * HOUR, { last })).toBe('freeform')
  })

  it('is the template for a template, inside the window and outside it [B GEN-05]', () => {
    expect(viaAt(last + HOUR, { via: 'template', last })).toBe('template')
    expect(viaAt(last + 25 * HOUR, { via: 'template', last })).toBe('template')
  })
})
