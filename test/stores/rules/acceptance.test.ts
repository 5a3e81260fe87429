import { describe, expect, it } from 'vitest'
import type { NewDelivery } from '../../../src/stores/port/index.ts'
import {
  isGenuineName,
  isRepeat,
  judgeDelivery,
  type KnownByKeys,
  type KnownDelivery,
  earlierSpoofs,
  type Verdict,
} from '../../../src/stores/rules/acceptance.ts'
import { delivery, unclear } from '../samples.ts'

const FIRST: KnownDelivery = {
  seq: 7,
  root: 5,
  state: 'stored',
  deliveryId: '01J',
  event: 'message.received',
  ownEvent: undefined,
  sameBytes: true,
}
const OTHER_BYTES = { ...FIRST, sameBytes: false }
const OTHER_NAME = { ...FIRST, event: 'order.paid' }
const IGNORED: KnownDelivery = { ...FIRST, state: 'ignored' }
const STALE: KnownDelivery = { ...FIRST, state: 'stale' }
const UNCLEAR: KnownDelivery = { ...FIRST, state: 'quarantined', event: undefined, deliveryId: undefined }
const NOT_JSON: KnownDelivery = { ...FIRST, state: 'quarantined' }

const NONE: KnownByKeys = { byId: undefined, bySignature: undefined }
const stale = delivery({ stale: true })
const identical = delivery({ dispatchIdentical: true })

const row = (state: 'stored' | 'quarantined' | 'stale', root?: number): Verdict => ({ write: 'row', state, root })
const resembling = (state: 'suspected_replay' | 'conflict'): Verdict => ({ write: 'resembling', state, root: 5 })
const repeat = (answer: 'duplicate' | 'stale'): Verdict => ({ write: 'repeat', seq: 7, answer })

describe('the rule of acceptance', () => {
  it.each<[string, NewDelivery, Partial<KnownByKeys>, Verdict]>([
    ['stores a new delivery', delivery(), {}, row('stored')],
    ['quarantines a new one whose headers are unclear', unclear(), {}, row('quarantined')],
    ['keeps a stale one once', stale, {}, row('stale')],
    ['counts a stale one whose bytes are known', stale, { bySignature: FIRST }, repeat('stale')],
    ['takes the same id, bytes and event name for a duplicate', delivery(), { byId: FIRST }, repeat('duplicate')],
    [
      'suspects a known id and bytes under another name',
      delivery(),
      { byId: OTHER_NAME },
      resembling('suspected_replay'),
    ],
    ['calls a known id with other bytes a conflict', delivery(), { byId: OTHER_BYTES }, resembling('conflict')],
    ['suspects known bytes under another id', delivery(), { bySignature: FIRST }, resembling('suspected_replay')],
    [
      'suspects known bytes before it sees a conflict',
      delivery(),
      { byId: OTHER_BYTES, bySignature: FIRST },
      resembling('suspected_replay'),
    ],
    ['dispatches known bytes if the app wants that', identical, { bySignature: FIRST }, row('stored', 5)],
    ['sees the conflict even then', identical, { byId: OTHER_BYTES, bySignature: FIRST }, resembling('conflict')],
    ['calls it a conflict if nobody handled the first', delivery(), { bySignature: IGNORED }, resembling('conflict')],
    [
      'suspects a replay of what could not be read',
      delivery(),
      { bySignature: NOT_JSON },
      resembling('suspected_replay'),
    ],
    ['lets no unclear copy stand in the way', delivery(), { bySignature: UNCLEAR }, row('stored')],
    ['lets no stale copy stand in the way', delivery(), { bySignature: STALE }, row('stored')],
    ['counts another unclear copy', unclear(), { bySignature: UNCLEAR }, repeat('duplicate')],
    ['suspects an unclear copy of what was stored', unclear(), { bySignature: FIRST }, resembling('suspected_replay')],
  ])('%s [R DEL-01, R SIG-07, R SIG-09]', (_title, given, known, verdict) => {
    expect(judgeDelivery(given, { ...NONE, ...known })).toEqual(verdict)
  })

  it('stores the genuine delivery in the place of the one with a false event name [R SIG-07]', () => {
    const spoofed = { ...FIRST, state: 'quarantined', event: 'order.paid', ownEvent: 'message.received' } as const
    expect(judgeDelivery(delivery(), { ...NONE, bySignature: spoofed }, spoofed)).toEqual(row('stored', 5))
  })

  it.each<[boolean, KnownDelivery | undefined]>([
    [true, FIRST],
    [false, OTHER_BYTES],
    [false, OTHER_NAME],
    [false, undefined],
  ])('tells a repeat by its id alone: %j for %j', (expected, byId) => {
    expect(isRepeat(delivery(), byId)).toBe(expected)
  })
})

describe('the rule against event-name spoofing', () => {
  const SPOOFED = { ...FIRST, state: 'quarantined', event: 'order.paid', ownEvent: 'message.received' } as const

  it.each<[boolean, string | undefined, Partial<KnownDelivery>]>([
    [true, 'message.received', {}],
    [true, 'message.received', { state: 'ignored' }],
    [true, 'Message.Received', {}],
    [true, 'message.received', { event: undefined }],
    [false, 'order.void', {}],
    [false, undefined, {}],
    [false, 'message.received', { ownEvent: undefined }],
    [false, 'order.paid', { ownEvent: 'order.paid' }],
    [false, 'message.received', { state: 'stored' }],
    [false, 'message.received', { state: 'suspected_replay' }],
    [false, 'message.received', { state: 'stale' }],
  ])('believes the name that the bytes give: %j for %j after %j [R SIG-07]', (genuine, event, first) => {
    expect(isGenuineName(event, { ...SPOOFED, ...first })).toBe(genuine)
  })

  it('names the deliveries that the genuine one replaces, those of the same signature first [R SIG-07]', () => {
    const byId = { ...SPOOFED, seq: 8 }
    expect(earlierSpoofs(delivery(), { byId, bySignature: SPOOFED })).toEqual([SPOOFED, byId])
    expect(earlierSpoofs(delivery(), { byId, bySignature: FIRST })).toEqual([byId])
    expect(earlierSpoofs(delivery(), NONE)).toEqual([])
  })

  it.each<[string, NewDelivery, KnownByKeys]>([
    ['an unclear delivery', unclear({ event: 'message.received' }), { ...NONE, bySignature: SPOOFED }],
    ['a stale one', stale, { ...NONE, bySignature: SPOOFED }],
    ['one whose id other bytes have', delivery(), { byId: OTHER_BYTES, bySignature: SPOOFED }],
  ])('lets %s replace nothing [R SIG-07]', (_title, given, known) => {
    expect(earlierSpoofs(given, known)).toEqual([])
  })
})
