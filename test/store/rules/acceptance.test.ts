import { describe, expect, it } from 'vitest'
import type { NewDelivery } from '../../../src/store/types/types.ts'
import {
  isRepeat,
  judgeDelivery,
  type KnownByKeys,
  type KnownDelivery,
  type Verdict,
} from '../../../src/store/rules/acceptance.ts'
import { delivery, unclear } from '../samples.ts'

const FIRST: KnownDelivery = {
  seq: 7,
  root: 5,
  state: 'stored',
  deliveryId: '01J',
  event: 'message.received',
  isMisnamed: false,
  sameBytes: true,
}
const OTHER_BYTES = { ...FIRST, sameBytes: false }
const OTHER_NAME = { ...FIRST, event: 'order.paid' }
const IGNORED: KnownDelivery = { ...FIRST, state: 'ignored' }
const STALE: KnownDelivery = { ...FIRST, state: 'stale' }
const UNCLEAR: KnownDelivery = { ...FIRST, state: 'quarantined', event: undefined, deliveryId: undefined }
const NOT_JSON: KnownDelivery = { ...FIRST, state: 'quarantined' }
const MISNAMED: KnownDelivery = { ...NOT_JSON, isMisnamed: true }

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
    ['calls it a conflict if the first was misnamed', delivery(), { bySignature: MISNAMED }, resembling('conflict')],
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

  it.each<[boolean, KnownDelivery | undefined]>([
    [true, FIRST],
    [false, OTHER_BYTES],
    [false, OTHER_NAME],
    [false, undefined],
  ])('tells a repeat by its id alone: %j for %j', (expected, byId) => {
    expect(isRepeat(delivery(), byId)).toBe(expected)
  })
})
