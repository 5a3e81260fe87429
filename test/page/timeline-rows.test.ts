import { describe, expect, it } from 'vitest'
import { createRows } from '../../src/page/timeline/rows/build.ts'
import type { Row } from '../../src/page/timeline/rows/table.ts'
import type { Happening } from '../../src/page/wire/happenings.ts'
import { ASHA, call, createTeller, delivery, type Teller } from './timeline-told.ts'

const HOUR = 3_600_000
const NUMBER = '109871234500011'

function rowsOf(teller: Teller): readonly Row[] {
  return createRows().update(teller.all(), teller.now())
}

/** What a row says, part by part. */
function said({ kind, title, detail, note, outcome }: Row): string {
  return [kind, title, detail, note, outcome?.label].filter((part) => part !== undefined).join(' | ')
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
  it('tell a delivery on its way, and of the same row how it ended', () => {
    const teller = createTeller()
    const rows = createRows()
    teller.tell('delivery', delivery())
    const [waiting] = rows.update(teller.all(), 0)
    expect(waiting).toMatchObject({
      direction: 'out',
      title: 'message.received',
      outcome: { label: 'waits' },
      attempt: 0,
    })
    teller.pass(20)
    teller.tell('delivery', delivery({ state: 'delivered', attempts: 1, last: { tookMs: 20, status: 200 } }))
    const ended = rows.update(teller.all(), 0)
    expect(ended).toHaveLength(1)
    expect(ended[0]).toMatchObject({ id: waiting?.id, outcome: { label: '200', tone: 'good' }, tookMs: 20, attempt: 1 })
  })

  it('tell each attempt in a row of its own, and which one it is (DEL-08)', () => {
    const teller = createTeller()
    teller.tell('delivery', delivery())
    teller.tell('delivery', delivery({ attempts: 1, last: { tookMs: 5, status: 500 } }))
    expect(rowsOf(teller).map(said)).toEqual(['delivery | message.received | will be retried | 500'])
    teller.pass(1_000)
    teller.tell('delivery', delivery({ attempts: 2, last: { tookMs: 0, status: null, error: 'connection_refused' } }))
    teller.pass(5_000)
    teller.tell('delivery', delivery({ state: 'delivered', attempts: 3, last: { tookMs: 4, status: 200 } }))
    expect(rowsOf(teller).map(said)).toEqual([
      'delivery | message.received | 500',
      'delivery | message.received | attempt 2 | refused',
      'delivery | message.received | attempt 3 | 200',
    ])
  })

  it('tell that a delivery was given up, or never sent at all', () => {
    const teller = createTeller()
    teller.tell('delivery', delivery())
    teller.tell('delivery', delivery({ attempts: 1, last: { tookMs: 5, status: 500 } }))
    teller.tell('delivery', delivery({ attempts: 1, state: 'failed', last: { tookMs: 5, status: 500 } }))
    teller.tell('delivery', delivery({ id: 'B' }))
    teller.tell('delivery', delivery({ id: 'B', state: 'failed' }))
    expect(rowsOf(teller).map(said)).toEqual([
      'delivery | message.received | given up | 500',
      'delivery | message.received | never sent',
    ])
  })

  it('tell a first attempt that was held back where it was made', () => {
    const teller = createTeller()
    teller.tell('delivery', delivery())
    teller.pass(10 * 60_000)
    teller.tell('delivery', delivery({ state: 'delivered', attempts: 1, last: { tookMs: 7, status: 200 } }))
    const rows = rowsOf(teller)
    expect(rows.map(({ outcome }) => outcome?.label)).toEqual(['held back', '200'])
    expect(rows[1]?.at).toBe('2026-03-04T09:10:00.000Z')
  })

  it('go on counting attempts where the old ones are no longer kept (DEL-13)', () => {
    const teller = createTeller()
    teller.tell('delivery', delivery({ attempts: 3, last: { tookMs: 5, status: 500 } }))
    teller.pass(8 * 24 * HOUR)
    teller.tell('delivery', delivery({ attempts: 1, last: { tookMs: 5, status: 500 } }))
    expect(rowsOf(teller).map(({ attempt }) => attempt)).toEqual([3, 4])
  })

  it('tell a call with its code, and which message it sent', () => {
    const teller = createTeller()
    teller.tell('thread', {
      customer: ASHA,
      item: item('msg_9', 'We are open', { direction: 'OUTBOUND', call: 'call_1' }),
    })
    teller.tell('api', call())
    teller.tell('api', call({ call: 'call_2', status: 409, code: 'outside_messaging_window' }))
    teller.tell('api', call({ call: 'call_3', spoilt: 'cut' }))
    const rows = rowsOf(teller)
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

  it('tell how far a message had come when its status went out', () => {
    const teller = createTeller()
    for (const status of ['SENT', 'delivered']) {
      teller.tell('thread', { customer: ASHA, item: item('msg_9', 'Hi', { direction: 'OUTBOUND', status }) })
      teller.tell('delivery', delivery({ id: status, event: 'message.status', message: 'msg_9' }))
    }
    expect(rowsOf(teller).map(({ detail }) => detail)).toEqual(['sent', 'delivered'])
  })

  it('tell that a window opened once, and that it closed when its time has come (GEN-04)', () => {
    const teller = createTeller()
    const rows = createRows()
    const window = () => ({
      customer: ASHA,
      number: NUMBER,
      closesAt: new Date(teller.now() + 24 * HOUR).toISOString(),
    })
    teller.tell('window', { window: window() })
    teller.pass(HOUR)
    teller.tell('window', { window: window() })
    const whats = (now: number) => rows.update(teller.all(), now).map(({ title, at }) => [title, at])
    const opened = ['Window opened', '2026-03-04T09:00:00.000Z']
    expect(whats(Date.parse('2026-03-05T09:59:59.999Z'))).toEqual([opened])
    const closed = ['Window closed', '2026-03-05T10:00:00.000Z']
    expect(whats(Date.parse('2026-03-05T10:00:00.000Z'))).toEqual([opened, closed])
    teller.pass(48 * HOUR)
    teller.tell('window', { window: window() })
    expect(whats(teller.now())).toEqual([opened, closed, ['Window opened', '2026-03-06T10:00:00.000Z']])
  })

  it('tell a jump of the clock at the time before it, and behind it what it brought to an end', () => {
    const teller = createTeller()
    teller.tell('window', { window: { customer: ASHA, number: NUMBER, closesAt: '2026-03-05T09:00:00.000Z' } })
    teller.pass(25 * HOUR)
    teller.tell('clock', { clock: { now: '2026-03-05T10:00:00.000Z', offsetMs: 25 * HOUR }, movedMs: 25 * HOUR })
    teller.tell('api', call())
    const rows = rowsOf(teller)
    expect(rows.map(({ title, at }) => [title, at])).toEqual([
      ['Window opened', '2026-03-04T09:00:00.000Z'],
      ['Clock moved forward', '2026-03-04T09:00:00.000Z'],
      ['Window closed', '2026-03-05T09:00:00.000Z'],
      ['POST /messages', '2026-03-05T10:00:00.000Z'],
    ])
    expect(rows[1]?.outcome?.label).toBe('+1 d 1 h')
  })

  it('tell once more that a window closed which the clock, going back, had opened again', () => {
    const teller = createTeller()
    const moved = (hours: number) => {
      teller.pass(hours * HOUR)
      const now = new Date(teller.now()).toISOString()
      teller.tell('clock', { clock: { now, offsetMs: 0 }, movedMs: hours * HOUR })
    }
    teller.tell('window', { window: { customer: ASHA, number: NUMBER, closesAt: '2026-03-05T09:00:00.000Z' } })
    moved(25)
    moved(-25)
    moved(24)
    expect(
      rowsOf(teller)
        .filter(({ kind }) => kind === 'window')
        .map(({ title }) => title),
    ).toEqual(['Window opened', 'Window closed', 'Window closed'])
  })

  it('tell a pause of the AI agent once, and its end (GEN-06)', () => {
    const teller = createTeller()
    const paused = (until: string) => ({
      agent: { number: NUMBER, customer: ASHA, state: 'paused', pausedUntil: until, on: true } as const,
    })
    teller.tell('agent', paused('2026-03-04T09:30:00.000Z'))
    teller.tell('agent', paused('2026-03-04T09:31:00.000Z'))
    teller.pass(31 * 60_000)
    const whats = () => rowsOf(teller).map(({ title, at }) => `${title} ${at.slice(11, 16)}`)
    expect(whats()).toEqual(['AI agent paused 09:00', 'AI agent awake 09:31'])
    teller.tell('agent', paused('2026-03-04T11:00:00.000Z'))
    teller.pass(60_000)
    teller.tell('agent', { agent: { number: NUMBER, customer: ASHA, state: 'active', pausedUntil: null, on: true } })
    expect(whats().slice(2)).toEqual(['AI agent paused 09:31', 'AI agent awake 09:32'])
  })

  it('tell endpoints that come, are disabled (DEL-07) and go', () => {
    const teller = createTeller()
    const endpoint = { id: 'sub_1', url: 'http://127.0.0.1:3000/hooks', state: 'active', failures: 0 } as const
    const control = (method: string) => ({ method, path: '/_emulator/subscriptions', status: 200 })
    teller.tell('subscription', { subscription: endpoint })
    teller.tell('control', control('POST'))
    teller.tell('subscription', { subscription: { ...endpoint, state: 'disabled', failures: 20 } })
    teller.tell('subscription', { subscription: endpoint })
    teller.tell('subscription', { subscription: endpoint })
    teller.tell('control', control('DELETE'))
    expect(rowsOf(teller).map(({ title, note }) => [title, note])).toEqual([
      ['Endpoint registered', undefined],
      ['Endpoint disabled', '20 failures in a row'],
      ['Endpoint registered again', undefined],
      ['Endpoint removed', undefined],
    ])
  })

  it('leave out what another row tells, and tell what nobody else does', () => {
    const teller = createTeller()
    const event = (deliveryIds: string[]) => ({ id: 'evt_1', event: 'message.received', customer: ASHA, deliveryIds })
    const control = (method: string, path: string, status = 200, code?: string) =>
      teller.tell('control', { method, path: `/_emulator/${path}`, status, ...(code !== undefined && { code }) })
    teller.tell('event', { event: event(['01J']) })
    teller.tell('event', { event: event([]) })
    control('POST', `customers/${ASHA}/messages`)
    control('POST', 'clock')
    control('PUT', 'faults')
    control('PUT', `customers/${ASHA}/handset`)
    control('POST', 'deliveries/01J/redeliver', 404, 'not_found')
    expect(rowsOf(teller).map(said)).toEqual([
      'event | message.received | no endpoint',
      'change | Faults changed',
      'change | Change refused | POST /_emulator/deliveries/01J/redeliver | not_found | 404',
    ])
  })

  it('grow with what is new alone: the earlier ones stay the same objects', () => {
    const teller = createTeller()
    const rows = createRows()
    for (let index = 0; index < 50; index++) teller.tell('api', call({ call: `call_${index}` }))
    const before = rows.update(teller.all(), 0)
    expect(rows.update(teller.all(), 0)).toBe(before)
    teller.tell('api', call({ call: 'call_new' }))
    const after = rows.update(teller.all(), 0)
    expect(after).toHaveLength(51)
    expect(after.slice(0, 50).every((row, index) => row === before[index])).toBe(true)
  })

  it('forget what the emulator no longer keeps, and still change those that are left', () => {
    const teller = createTeller()
    const rows = createRows()
    for (let index = 0; index < 10; index++) teller.tell('api', call({ call: `call_${index}` }))
    teller.tell('delivery', delivery())
    rows.update(teller.all(), 0)
    teller.tell('delivery', delivery({ state: 'delivered', attempts: 1, last: { tookMs: 1, status: 204 } }))
    rows.update(teller.without(8), 0)
    teller.tell('delivery', delivery({ id: 'B' }))
    teller.tell('delivery', delivery({ id: 'B', state: 'delivered', attempts: 1, last: { tookMs: 1, status: 200 } }))
    const left = rows.update(teller.without(8), 0)
    expect(left.map(({ title, outcome }) => [title, outcome?.label])).toEqual([
      ['POST /messages', '200'],
      ['POST /messages', '200'],
      ['message.received', '204'],
      ['message.received', '200'],
    ])
  })

  it('begin anew with another run of the emulator', () => {
    const rows = createRows()
    const first = createTeller()
    first.tell('api', call())
    first.tell('api', call())
    rows.update(first.all(), 0)
    const second = createTeller('2026-03-04T09:00:00.000Z', 'other')
    second.tell('api', call({ status: 500 }))
    expect(rows.update(second.all(), 0).map(({ status }) => status)).toEqual([500])
    const nothing: readonly Happening[] = []
    expect(rows.update(nothing, 0)).toEqual([])
  })
})
