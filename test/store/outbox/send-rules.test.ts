import { describe, expect, it } from 'vitest'
import {
  type Asked,
  isGoingOut,
  isSurelyNotSent,
  openingOf,
  RESTORED,
  type SendStart,
  type StartConditions,
  startOf,
} from '../../../src/store/outbox/send-rules.ts'
import type { Silence } from '../../../src/store/database/silence.ts'
import { SEND_STATES } from '../../../src/store/database/outbox-tables.ts'

const ASHA = '255712000101'
const ASKED: Asked = {
  customer: ASHA,
  body: '{"to":"255712000101","text":"hello"}',
  askedDigest: undefined,
  dueAt: undefined,
}
const DIVERGED = { found: 'known', diverged: true, marks: true }

describe('the rules of sends', () => {
  it.each(SEND_STATES)(
    'opens a send that is %s again only if surely nothing was sent [B IDEM-05, B IDEM-06]',
    (state) => {
      const mayReopen = ['refused', 'skipped', 'cancelled'].includes(state)
      expect(isSurelyNotSent(state)).toBe(mayReopen)
      expect(openingOf(ASKED, { ...ASKED, body: '{"to":"255712000101","text":"other"}', state, attempts: 1 })).toEqual(
        mayReopen ? { found: 'reopened' } : DIVERGED,
      )
      expect(isGoingOut(state)).toBe(state === 'ready' || state === 'attempting')
    },
  )

  const why = { code: 'taken_over', reason: 'a person has the customer' }
  const SILENCE: Silence = { since: 10, until: 90, why }
  const FREE: StartConditions = {
    restored: false,
    silence: undefined,
    repliedAt: undefined,
    optedOut: false,
    marketingAt: undefined,
    dueAt: undefined,
    lastInboundAt: undefined,
    unread: false,
    needsInboundSince: undefined,
  }

  it.each<[string, Partial<StartConditions>, Partial<SendStart>]>([
    ['is ready', {}, { state: 'ready' }],
    ['waits for its time', { dueAt: 200 }, { state: 'scheduled' }],
    [
      'is skipped while somebody else has its customer',
      { silence: SILENCE, repliedAt: 50 },
      { state: 'skipped', ...why },
    ],
    [
      'is refused, with what to do, if its window is surely closed',
      { lastInboundAt: 40, needsInboundSince: 40 },
      { state: 'refused', reason: expect.stringContaining('pass one as outsideWindow') as string },
    ],
    ['is ready if its window is open', { lastInboundAt: 41, needsInboundSince: 40 }, { state: 'ready' }],
    ['is ready if its window is not known', { needsInboundSince: 40 }, { state: 'ready' }],
    [
      'is ready if something waits unread',
      { lastInboundAt: 40, needsInboundSince: 40, unread: true },
      { state: 'ready' },
    ],
    ['is skipped, scheduled or not', { silence: SILENCE, repliedAt: 50, dueAt: 200 }, { state: 'skipped' }],
    ['goes out once the silence is over', { silence: SILENCE, repliedAt: 90 }, { state: 'ready' }],
    ['goes out if it is no reply', { silence: SILENCE }, { state: 'ready' }],
    [
      'is held if its delivery came back with a backup, whatever else',
      { restored: true, silence: SILENCE, repliedAt: 50, dueAt: 200 },
      { state: 'held', ...RESTORED },
    ],
  ])('a recorded send %s [B GEN-07, B ERR-05, F-65]', (_title, facts, start) => {
    expect(startOf({ ...FREE, ...facts })).toMatchObject(start)
  })
})
