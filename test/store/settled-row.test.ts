import { expect, it } from 'vitest'
import { settledRow } from '../../src/store/outbox/send-attempts.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { dueSend } from './acts.ts'
import { send, T0 } from './samples.ts'
import type { NewSend } from '../../src/store/outbox/rows.ts'
import type { ThrottleChange } from '../../src/store/outbox/send-rules.ts'
import type { SendSettlement } from '../../src/store/outbox/send-attempts.ts'

const FALLBACK = { key: 'sh1_f', body: '{}' }
const STOPPED: ThrottleChange = {
  stopped: true,
  closedUntil: T0 + 60_000,
  inARow: 1,
  code: 'unauthorized',
  reason: 'no',
}
const WHY = { code: 'x', reason: 'why' }

const SETTLEMENTS: [string, SendSettlement, Partial<NewSend>?, ThrottleChange?][] = [
  ['accepted', { as: 'accepted', messageId: 'm', upstreamId: 'u', possiblyTwice: true }],
  ['refused', { as: 'refused', ...WHY }],
  ['skipped', { as: 'skipped', ...WHY }],
  ['unknown', { as: 'unknown', ...WHY }],
  ['surely once', { as: 'unknown', ...WHY, surelyOnce: true }],
  ['tried again', { as: 'ready', at: T0 + 7, ...WHY }],
  ['in doubt', { as: 'attempting', at: T0 + 7, ...WHY }],
  ['fallen back', { as: 'fall_back' }, { fallback: FALLBACK }],
  ['a part that waits', { as: 'held', ...WHY }],
  ['held', { as: 'postponed', code: 'unauthorized', reason: 'no' }, {}, STOPPED],
]

it.each(SETTLEMENTS)(
  'a send that is %s is reported as the store then has it',
  async (_, settlement, given, throttle) => {
    for (const attempts of [1, 2]) {
      const store = openSqlite(':memory:')
      const one = send(given)
      await store.openSend(one)
      const { fence } = await dueSend(store)
      for (let at = 1; at <= attempts; at++) await store.beginSend(fence, one.id, one.via, T0 + at)
      const before = await store.findSend({ id: one.id })
      if (!before) throw new Error('the send is not there')
      const change = throttle && { number: one.number, move: throttle }
      await store.settleSend(fence, one.id, settlement, { now: T0 + 5, goOn: false }, change)
      expect(settledRow(before, settlement, T0 + 5)).toEqual(await store.findSend({ id: one.id }))
      await store.close()
    }
  },
)
