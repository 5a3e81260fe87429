import { describe, expect, it } from 'vitest'
import { hasWords, type Row, rowsOf } from '../../../src/pages/emulator/timeline/timeline-rows.ts'
import { ASHA, call, createLog, delivery } from './support/timeline-log.ts'

const HOUR = 3_600_000

/** The visible parts of a row. */
function said({ title, detail, text, note, outcome }: Row): string {
  return [title, detail, text && `“${text}”`, note, outcome?.label].filter((part) => part !== undefined).join(' | ')
}

const ended = (attempts: number, status: number, more: object = {}) =>
  delivery({ attempts, last: { tookMs: 5, status }, ...(status < 300 && { state: 'delivered' }), ...more })

describe('the rows of the timeline', () => {
  it('show a running delivery, and its outcome in the same row', () => {
    const log = createLog()
    log.add('delivery', delivery())
    const [waiting] = rowsOf(log.all())
    expect(waiting).toMatchObject({ direction: 'out', title: 'message.received', outcome: { label: 'waits' } })
    log.pass(20)
    log.add('delivery', ended(1, 200))
    const [row, ...more] = rowsOf(log.all())
    expect(more).toEqual([])
    expect(row).toMatchObject({ id: waiting?.id, at: waiting?.at, outcome: { label: '200', tone: 'good' }, attempt: 1 })
  })

  it('show each attempt in its own row, with its number [DEL-08]', () => {
    const log = createLog()
    log.add('delivery', delivery())
    log.add('delivery', ended(1, 500))
    expect(rowsOf(log.all()).map(said)).toEqual(['message.received | will be retried | 500'])
    log.add('delivery', delivery({ attempts: 2, last: { tookMs: 0, status: null, error: 'connection_refused' } }))
    log.add('delivery', ended(3, 200))
    expect(rowsOf(log.all()).map(said)).toEqual([
      'message.received | 500',
      'message.received | attempt 2 | refused',
      'message.received | attempt 3 | 200',
    ])
  })

  it('show that a delivery was given up, or never sent', () => {
    const log = createLog()
    log.add('delivery', ended(1, 500))
    log.add('delivery', ended(1, 500, { state: 'failed' }))
    log.add('delivery', delivery({ id: 'B' }))
    log.add('delivery', delivery({ id: 'B', state: 'failed' }))
    expect(rowsOf(log.all()).map(said)).toEqual(['message.received | given up | 500', 'message.received | never sent'])
  })

  it('show a call with its code, the message that it sent, and how a fault spoilt its answer', () => {
    const log = createLog()
    const item = { id: 'msg_9', direction: 'OUTBOUND', kind: 'text', text: 'We are open', call: 'call_1' }
    log.add('thread', { customer: ASHA, item: item as never })
    log.add('api', call())
    log.add('api', call({ call: 'call_2', status: 409, code: 'outside_messaging_window' }))
    log.add('api', call({ call: 'call_3', spoilt: 'cut' }))
    // The send never reached the service, so its status means nothing.
    log.add('api', call({ call: 'call_4', status: 500, spoilt: 'never' }))
    expect(rowsOf(log.all()).map(said)).toEqual([
      'POST /messages | “We are open” | 200',
      'POST /messages | outside_messaging_window | 409',
      'POST /messages | 200 cut off',
      'POST /messages | no answer',
    ])
    expect(rowsOf(log.all())[0]).toMatchObject({ message: 'msg_9', direction: 'in' })
  })

  it('show once that a window opened, and again after it had closed [GEN-04]', () => {
    const log = createLog()
    for (const wait of [0, HOUR, 24 * HOUR]) {
      log.pass(wait)
      const closesAt = new Date(log.now() + 24 * HOUR).toISOString()
      log.add('window', { window: { customer: ASHA, number: '109871234500011', closesAt } })
    }
    expect(rowsOf(log.all()).map(({ title, at }) => [title, at])).toEqual([
      ['Window opened', '2026-03-04T09:00:00.000Z'],
      ['Window opened', '2026-03-05T10:00:00.000Z'],
    ])
  })

  it('show a jump of the clock at the time before it', () => {
    const log = createLog()
    log.pass(25 * HOUR)
    log.add('clock', { clock: { now: '2026-03-05T10:00:00.000Z', offsetMs: 25 * HOUR }, movedMs: 25 * HOUR })
    expect(rowsOf(log.all())).toMatchObject([
      { title: 'Clock moved forward', at: '2026-03-04T09:00:00.000Z', outcome: { label: '+1 d 1 h' } },
    ])
  })

  it('say why a delivery that was accepted went out again after a jump of the clock', () => {
    const log = createLog()
    log.add('delivery', ended(1, 200))
    log.add('delivery', ended(2, 200, { last: { tookMs: 5, status: 200, why: 'clock_moved' } }))
    log.add('delivery', ended(3, 200))
    expect(rowsOf(log.all()).map(said)).toEqual([
      'message.received | 200',
      'message.received | attempt 2 | repeated, so that the app learns the new time | 200',
      'message.received | attempt 3 | 200',
    ])
  })

  it('show endpoints, and an event only if no delivery shows it [DEL-07]', () => {
    const log = createLog()
    const endpoint = { id: 'sub_1', url: 'http://127.0.0.1:3000/hooks', state: 'active', failures: 0 } as const
    const event = (deliveryIds: string[]) => ({ id: 'evt_1', event: 'message.received', customer: ASHA, deliveryIds })
    log.add('subscription', { subscription: endpoint })
    log.add('subscription', { subscription: { ...endpoint, state: 'disabled', failures: 20 } })
    log.add('event', { event: event(['01J']) })
    log.add('event', { event: event([]) })
    expect(rowsOf(log.all()).map(said)).toEqual([
      'Endpoint active | http://127.0.0.1:3000/hooks',
      'Endpoint disabled | http://127.0.0.1:3000/hooks | 20 failures in a row',
      'message.received | no endpoint',
    ])
  })
})

describe('a search of the timeline', () => {
  const log = createLog()
  log.add('delivery', delivery({ id: '01JA', state: 'delivered', attempts: 1, last: { tookMs: 5, status: 200 } }))
  log.add('delivery', delivery({ id: '01JB', event: 'message.status', attempts: 1, last: { tookMs: 5, status: 503 } }))
  log.add('delivery', delivery({ id: '01JC', event: 'order.paid', customer: null, message: null }))
  log.add('api', call({ call: 'call_e', status: 409, code: 'outside_messaging_window', customer: '254700000102' }))
  const rows = rowsOf(log.all())

  it.each<[string, string[]]>([
    ['outside', ['POST /messages']],
    ['2547', ['POST /messages']],
    ['01jc', ['order.paid']],
    ['message.status 503', ['message.status']],
    ['message.status 504', []],
    ['failed', ['message.status', 'POST /messages']],
    ['waits', ['order.paid']],
  ])('a search for “%s” finds %j', (query, titles) => {
    expect(rows.filter((row) => hasWords(row, query.split(' '))).map(({ title }) => title)).toEqual(titles)
  })
})
