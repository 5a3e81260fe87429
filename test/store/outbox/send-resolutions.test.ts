import { describe, expect, it } from 'vitest'
import {
  type Resend,
  type ResendConditions,
  resendOf,
  resolutionsOf,
  type Resolution,
} from '../../../src/store/outbox/send-resolutions.ts'
import { SEND_STATES, type SendState } from '../../../src/store/database/outbox-tables.ts'

describe('the rules of settled sends', () => {
  it.each(SEND_STATES)('says what a person may decide about a send that is %s [B IDEM-07, F-76]', (state) => {
    const may: Partial<Record<SendState, Resolution[]>> = {
      unknown: ['accepted', 'resend', 'drop'],
      held: ['drop'],
      refused: ['resend', 'drop'],
      skipped: ['resend', 'drop'],
      cancelled: ['resend', 'drop'],
    }
    const send = { state, code: undefined, possiblyTwice: false, withheld: false }
    expect(resolutionsOf(send)).toEqual(may[state] ?? [])
    const code = resolutionsOf({ ...send, withheld: true })
    expect(code).toEqual((may[state] ?? []).filter((resolution) => resolution !== 'resend'))
  })

  it('lets a person decide more about a held send that may have gone out before [F-76]', () => {
    const held = { state: 'held', code: undefined, possiblyTwice: false, withheld: false } as const
    expect(resolutionsOf({ ...held, code: 'restored' })).toEqual(['accepted', 'resend', 'drop'])
    expect(resolutionsOf({ ...held, possiblyTwice: true })).toEqual(['accepted', 'drop'])
  })

  const REFUSED: ResendConditions = {
    state: 'refused',
    via: 'freeform',
    dueAt: undefined,
    possiblyTwice: false,
    heldFrom: undefined,
  }

  it.each<[string, Partial<ResendConditions>, Partial<Resend>]>([
    ['refused: once, with its fallback', {}, {}],
    [
      'of unknown outcome: perhaps twice, without its fallback',
      { state: 'unknown' },
      { possiblyTwice: true, dropsFallback: true },
    ],
    [
      'of unknown outcome as a template: it keeps its bytes',
      { state: 'unknown', via: 'template' },
      { possiblyTwice: true },
    ],
    ['restored before its attempt: with its fallback', { state: 'held', heldFrom: 'ready' }, { possiblyTwice: true }],
    [
      'restored during its attempt: without its fallback',
      { state: 'held', heldFrom: 'attempting' },
      { possiblyTwice: true, dropsFallback: true },
    ],
    [
      'restored before its time: still for later',
      { state: 'held', heldFrom: 'scheduled' },
      { possiblyTwice: true, isScheduled: true },
    ],
    ['cancelled before its time: still for later', { state: 'cancelled', dueAt: 9 }, { isScheduled: true }],
    ['refused after its time: now', { state: 'refused', dueAt: 9 }, {}],
    ['marked before: the mark stays', { possiblyTwice: true }, { possiblyTwice: true }],
  ])('resends a send that is %s [B IDEM-07, F-76]', (_title, facts, resend) => {
    const once: Resend = { isScheduled: false, possiblyTwice: false, dropsFallback: false }
    expect(resendOf({ ...REFUSED, ...facts })).toEqual({ ...once, ...resend })
  })
})
