import { describe, expect, it } from 'vitest'
import { createRows } from '../../../src/pages/emulator/timeline/rows/timeline-rows.ts'
import type { Row } from '../../../src/pages/emulator/timeline/rows/table.ts'
import type { Happening } from '../../../src/pages/emulator/wire/wire-types.ts'
import { ASHA, call, createLog, delivery, type TimelineLog } from './support/timeline-log.ts'

const HOUR = 3_600_000
const NUMBER = '109871234500011'

function rowsOf(log: TimelineLog): readonly Row[] {
  return createRows().update(log.all())
}

/** The visible parts of a row. */
function said({ kind, title, detail, text, note, outcome }: Row): string {
  return [kind, title, detail, text && `“${text}”`, note, outcome?.label]
    .filter((part) => part !== undefined)
    .join(' | ')
}

function item(id: string, text: string, more: object = {}) {
  return {
    id,
    direction: 'INBOUND',
    kind: 'text',
    text,
    status: null,
    at: '2026-03-04T09:00:00.000Z',
    ...more,
  } as never
}

describe('the rows of the timeline', () => {
  it('show a running delivery, and its outcome in the same row', () => {
    const log = createLog()
    const rows = createRows()
    log.add('delivery', delivery())
    const [waiting] = rows.update(log.all())
    expect(waiting).toMatchObject({
      direction: 'out',
      title: 'message.received',
      outcome: { label: 'waits' },
      attempt: 0,
    })
    log.pass(20)
    log.add('delivery', delivery({ state: 'delivered', attempts: 1, last: { tookMs: 20, status: 200 } }))
    const ended = rows.update(log.all())
    expect(ended).toHaveLength(1)
    expect(ended[0]).toMatchObject({ id: waiting?.id, outcome: { label: '200', tone: 'good' }, tookMs: 20, attempt: 1 })
  })

  it('show each attempt in its own row, with its number [DEL-08]', () => {
    const log = createLog()
    log.add('delivery', delivery())
    log.add('delivery', delivery({ attempts: 1, last: { tookMs: 5, status: 500 } }))
    expect(rowsOf(log).map(said)).toEqual(['delivery | message.received | will be retried | 500'])
    log.pass(1_000)
    log.add('delivery', delivery({ attempts: 2, last: { tookMs: 0, status: null, error: 'connection_refused' } }))
    log.pass(5_000)
    log.add('delivery', delivery({ state: 'delivered', attempts: 3, last: { tookMs: 4, status: 200 } }))
    expect(rowsOf(log).map(said)).toEqual([
      'delivery | message.received | 500',
      'delivery | message.received | attempt 2 | refused',
      'delivery | message.received | attempt 3 | 200',
    ])
  })

  it('show that a delivery was given up, or never sent', () => {
    const log = createLog()
    log.add('delivery', delivery())
    log.add('delivery', delivery({ attempts: 1, last: { tookMs: 5, status: 500 } }))
    log.add('delivery', delivery({ attempts: 1, state: 'failed', last: { tookMs: 5, status: 500 } }))
    log.add('delivery', delivery({ id: 'B' }))
    log.add('delivery', delivery({ id: 'B', state: 'failed' }))
    expect(rowsOf(log).map(said)).toEqual([
      'delivery | message.received | given up | 500',
      'delivery | message.received | never sent',
    ])
  })

  it('show a delayed first attempt at the time when it was made', () => {
    const log = createLog()
    log.add('delivery', delivery())
    log.pass(10 * 60_000)
    log.add('delivery', delivery({ state: 'delivered', attempts: 1, last: { tookMs: 7, status: 200 } }))
    const rows = rowsOf(log)
    expect(rows.map(({ outcome }) => outcome?.label)).toEqual(['delayed', '200'])
    expect(rows[1]?.at).toBe('2026-03-04T09:10:00.000Z')
  })

  it('keep counting attempts after the oldest were dropped [DEL-13]', () => {
    const log = createLog()
    log.add('delivery', delivery({ attempts: 3, last: { tookMs: 5, status: 500 } }))
    log.pass(8 * 24 * HOUR)
    log.add('delivery', delivery({ attempts: 1, last: { tookMs: 5, status: 500 } }))
    expect(rowsOf(log).map(({ attempt }) => attempt)).toEqual([3, 4])
  })

  it('show a call with its code and the message that it sent', () => {
    const log = createLog()
    log.add('thread', {
      customer: ASHA,
      item: item('msg_9', 'We are open', { direction: 'OUTBOUND', call: 'call_1' }),
    })
    log.add('api', call())
    log.add('api', call({ call: 'call_2', status: 409, code: 'outside_messaging_window' }))
    log.add('api', call({ call: 'call_3', spoilt: 'cut' }))
    const rows = rowsOf(log)
    expect(rows.map(said)).toEqual([
      'call | POST /messages | “We are open” | 200',
      'call | POST /messages | outside_messaging_window | 409',
      'call | POST /messages | 200 cut off',
    ])
    expect(rows.map(({ message, direction }) => [message, direction])).toEqual([
      ['msg_9', 'in'],
      [undefined, 'in'],
      [undefined, 'in'],
    ])
  })

  it('show the status that a delivery reports', () => {
    const log = createLog()
    for (const status of ['SENT', 'delivered'])
      log.add('delivery', delivery({ id: status, event: 'message.status', message: 'msg_9', status }))
    expect(rowsOf(log).map(({ detail }) => detail)).toEqual(['sent', 'delivered'])
  })

  it('show once that a window opened, and again after it had closed [GEN-04]', () => {
    const log = createLog()
    const open = () => {
      const closesAt = new Date(log.now() + 24 * HOUR).toISOString()
      log.add('window', { window: { customer: ASHA, number: NUMBER, closesAt } })
    }
    open()
    log.pass(HOUR)
    open()
    log.pass(24 * HOUR)
    open()
    expect(rowsOf(log).map(({ title, at }) => [title, at])).toEqual([
      ['Window opened', '2026-03-04T09:00:00.000Z'],
      ['Window opened', '2026-03-05T10:00:00.000Z'],
    ])
  })

  it('show a jump of the clock at the time before it', () => {
    const log = createLog()
    log.pass(25 * HOUR)
    log.add('clock', { clock: { now: '2026-03-05T10:00:00.000Z', offsetMs: 25 * HOUR }, movedMs: 25 * HOUR })
    expect(rowsOf(log).map(({ title, at, outcome }) => [title, at, outcome?.label])).toEqual([
      ['Clock moved forward', '2026-03-04T09:00:00.000Z', '+1 d 1 h'],
    ])
  })

  it('show endpoints that are registered, disabled and removed [DEL-07]', () => {
    const log = createLog()
    const endpoint = { id: 'sub_1', url: 'http://127.0.0.1:3000/hooks', state: 'active', failures: 0 } as const
    const control = (method: string) => ({ method, path: '/_emulator/subscriptions', status: 200 })
    log.add('subscription', { subscription: endpoint })
    log.add('control', control('POST'))
    log.add('subscription', { subscription: { ...endpoint, state: 'disabled', failures: 20 } })
    log.add('subscription', { subscription: endpoint })
    log.add('subscription', { subscription: endpoint })
    log.add('control', control('DELETE'))
    expect(rowsOf(log).map(({ title, note }) => [title, note])).toEqual([
      ['Endpoint registered', undefined],
      ['Endpoint disabled', '20 failures in a row'],
      ['Endpoint registered again', undefined],
      ['Endpoint removed', undefined],
    ])
  })

  it('leave out changes that another row shows, and show all others', () => {
    const log = createLog()
    const event = (deliveryIds: string[]) => ({ id: 'evt_1', event: 'message.received', customer: ASHA, deliveryIds })
    const control = (method: string, path: string, status = 200, code?: string) =>
      log.add('control', { method, path: `/_emulator/${path}`, status, ...(code !== undefined && { code }) })
    log.add('event', { event: event(['01J']) })
    log.add('event', { event: event([]) })
    control('POST', `customers/${ASHA}/messages`)
    control('POST', 'clock')
    control('PUT', 'faults')
    control('PUT', `customers/${ASHA}/handset`)
    control('POST', 'deliveries/01J/redeliver', 404, 'not_found')
    expect(rowsOf(log).map(said)).toEqual([
      'event | message.received | no endpoint',
      'change | Faults changed',
      'change | Change refused | POST /_emulator/deliveries/01J/redeliver | not_found | 404',
    ])
  })

  it('grow only by new ones: the earlier rows stay the same objects', () => {
    const log = createLog()
    const rows = createRows()
    for (let index = 0; index < 50; index++) log.add('api', call({ call: `call_${index}` }))
    const before = rows.update(log.all())
    expect(rows.update(log.all())).toBe(before)
    log.add('api', call({ call: 'call_new' }))
    const after = rows.update(log.all())
    expect(after).toHaveLength(51)
    expect(after.slice(0, 50).every((row, index) => row === before[index])).toBe(true)
  })

  it('drop rows that the emulator no longer keeps, and still update the others', () => {
    const log = createLog()
    const rows = createRows()
    for (let index = 0; index < 10; index++) log.add('api', call({ call: `call_${index}` }))
    log.add('delivery', delivery())
    rows.update(log.all())
    log.add('delivery', delivery({ state: 'delivered', attempts: 1, last: { tookMs: 1, status: 204 } }))
    rows.update(log.without(8))
    log.add('delivery', delivery({ id: 'B' }))
    log.add('delivery', delivery({ id: 'B', state: 'delivered', attempts: 1, last: { tookMs: 1, status: 200 } }))
    const left = rows.update(log.without(8))
    expect(left.map(({ title, outcome }) => [title, outcome?.label])).toEqual([
      ['POST /messages', '200'],
      ['POST /messages', '200'],
      ['message.received', '204'],
      ['message.received', '200'],
    ])
  })

  it('start again with another run of the emulator', () => {
    const rows = createRows()
    const first = createLog()
    first.add('api', call())
    first.add('api', call())
    rows.update(first.all())
    const second = createLog('2026-03-04T09:00:00.000Z', 'other')
    second.add('api', call({ status: 500 }))
    expect(rows.update(second.all()).map(({ status }) => status)).toEqual([500])
    const nothing: readonly Happening[] = []
    expect(rows.update(nothing)).toEqual([])
  })
})
