import { describe, expect, it } from 'vitest'
import { type Entry, listEntries } from '../../src/page/timeline/entries.ts'
import { createRows } from '../../src/page/timeline/rows/rows.ts'
import { ASHA, call, createLog, delivery, type TimelineLog } from './support/timeline-log.ts'

const JUMA = '255712000102'
const NUMBER = '109871234500011'
const MINUTE = 60_000
const NONE: ReadonlySet<string> = new Set()
const OK = { tookMs: 4, status: 200 } as const

/** An app's side of a conversation, as the emulator reports it. */
function talk(log: TimelineLog, customer = ASHA) {
  let count = 0
  const unique = () => `${customer.slice(-1)}${++count}`
  const item = (id: string, text: string, more: object) =>
    ({ id, direction: 'INBOUND', kind: 'text', text, status: null, at: '', ...more }) as never
  const deliver = (message: string, event: string, more: object = {}, id = `d${unique()}`) =>
    log.add('delivery', delivery({ id, event, customer, message, state: 'delivered', attempts: 1, last: OK, ...more }))
  return {
    deliver,
    says(text: string, more: object = {}) {
      const message = `in${unique()}`
      log.add('thread', { customer, item: item(message, text, {}) })
      deliver(message, 'message.received', more, `d-${message}`)
      return message
    },
    gets(text: string, more: object = {}) {
      const [message, id] = [`out${unique()}`, `call${unique()}`]
      const refused = 'status' in more ? { refused: { status: 429, code: null, message: '' } } : {}
      log.add('thread', { customer, item: item(message, text, { direction: 'OUTBOUND', call: id, ...refused }) })
      log.add('api', call({ call: id, customer, ...more }))
      return message
    },
    status: (message: string, status: string) => deliver(message, 'message.status', { status }),
  }
}

function linesOf(log: TimelineLog, shown: Partial<Parameters<typeof listEntries>[1]> = {}) {
  return listEntries(createRows().update(log.all()), { unfolded: NONE, ...shown })
}

function said(entry: Entry): string {
  if (entry.kind === 'day') return 'day'
  if (entry.kind === 'row')
    return `${entry.isInTurn ? '  ' : ''}${entry.row.title}${entry.text ? ` “${entry.text}”` : ''}`
  const { title, answer, moreAnswers, note, outcome } = entry.turn
  return [title, answer, moreAnswers > 0 && `+${moreAnswers}`, note, outcome?.label].filter(Boolean).join(' | ')
}

const withoutDays = (entries: readonly Entry[]) => entries.filter(({ kind }) => kind !== 'day').map(said)

describe('the turns of the timeline', () => {
  it('fold a message, its reply and the statuses into one line, which unfolds in the order of events', () => {
    const log = createLog()
    const asha = talk(log)
    log.add('window', { window: { customer: ASHA, number: NUMBER, closesAt: '2026-03-05T09:00:00.000Z' } })
    asha.says('hours')
    const reply = asha.gets('9 to 17')
    asha.status(reply, 'SENT')
    asha.status(reply, 'delivered')
    const [, folded] = linesOf(log)
    expect(withoutDays(linesOf(log))).toEqual(['hours | 9 to 17 | delivered'])
    expect(withoutDays(linesOf(log, { unfolded: new Set([folded?.id ?? '']) }))).toEqual([
      'hours | 9 to 17 | delivered',
      '  Window opened',
      '  message.received',
      '  POST /messages “9 to 17”',
      '  message.status',
      '  message.status',
    ])
  })

  it('end with the next message of the same customer; a status goes to the turn of its message', () => {
    const log = createLog()
    const [asha, juma] = [talk(log), talk(log, JUMA)]
    asha.says('one')
    juma.says('hello')
    const first = asha.gets('answer to one')
    asha.says('two')
    asha.gets('answer to two')
    asha.gets('and more')
    asha.status(first, 'read')
    expect(withoutDays(linesOf(log))).toEqual([
      'one | answer to one | read',
      'hello | no reply',
      'two | answer to two | +1 | accepted',
    ])
  })

  it('begin anew with a send that comes after five quiet minutes: the app writes of its own', () => {
    const log = createLog()
    const asha = talk(log)
    asha.says('thanks')
    log.pass(5 * MINUTE)
    asha.gets('You are welcome')
    log.pass(5 * MINUTE + 1)
    asha.deliver(asha.gets('Your order is ready'), 'message.sent')
    expect(withoutDays(linesOf(log))).toEqual(['thanks | You are welcome | accepted', 'Your order is ready | accepted'])
  })

  it('show what failed until it is mended, and then that it had failed', () => {
    const log = createLog()
    const asha = talk(log)
    const failed = { state: 'pending', last: { tookMs: 3, status: 500 } }
    const message = asha.says('hours', failed)
    expect(withoutDays(linesOf(log))).toEqual(['hours | will be retried | 500'])
    asha.deliver(message, 'message.received', { attempts: 2 }, `d-${message}`)
    asha.gets('9 to 17', { status: 429, code: 'rate_limited' })
    expect(withoutDays(linesOf(log))).toEqual(['hours | rate_limited · 1 failure before | 429'])
    asha.status(asha.gets('9 to 17'), 'read')
    expect(withoutDays(linesOf(log))).toEqual(['hours | 9 to 17 | 2 failures fixed | read'])
  })

  it('fold the attempts of an event without a message, and leave a single row as it is', () => {
    const log = createLog()
    const paid = { id: 'paid', event: 'order.paid', message: null }
    log.add('delivery', delivery({ ...paid, attempts: 1, last: { tookMs: 3, status: 500 } }))
    expect(withoutDays(linesOf(log))).toEqual(['order.paid'])
    log.add('delivery', delivery({ ...paid, attempts: 2, state: 'delivered', last: OK }))
    expect(withoutDays(linesOf(log))).toEqual(['order.paid | 1 failure fixed | 200'])
  })

  it('show the rows that match a search alone, unless the whole turn matches', () => {
    const log = createLog()
    const [asha, juma] = [talk(log), talk(log, JUMA)]
    asha.says('hours')
    asha.gets('9 to 17')
    juma.says('hello')
    expect(withoutDays(linesOf(log, { matches: ({ kind }) => kind === 'call' }))).toEqual(['POST /messages “9 to 17”'])
    expect(withoutDays(linesOf(log, { matches: ({ customer }) => customer === ASHA }))).toEqual([
      'hours | 9 to 17 | accepted',
    ])
  })

  it('are not folded row by row: everything stands where it happened', () => {
    const log = createLog()
    const [asha, juma] = [talk(log), talk(log, JUMA)]
    asha.says('hours')
    juma.says('hello')
    asha.gets('9 to 17')
    expect(withoutDays(linesOf(log, { isRowByRow: true }))).toEqual([
      'message.received “hours”',
      'message.received “hello”',
      'POST /messages “9 to 17”',
    ])
  })

  it('name their customer where it is another than above, and again after a new day', () => {
    const log = createLog('2026-03-04T12:00:00.000Z')
    const [asha, juma] = [talk(log), talk(log, JUMA)]
    asha.says('one')
    asha.says('two')
    juma.says('three')
    log.pass(24 * 60 * MINUTE)
    juma.says('four')
    const lines = linesOf(log).filter(({ kind }) => kind !== 'day')
    expect(lines.map((line) => 'customer' in line && line.customer)).toEqual([ASHA, false, JUMA, JUMA])
  })

  it('forget a reset: the same id of a message begins another turn', () => {
    const log = createLog()
    talk(log).says('before')
    log.add('resync', {})
    talk(log).says('after', { id: 'another' })
    expect(withoutDays(linesOf(log))).toEqual(['before | no reply', 'Everything was reset', 'after | no reply'])
  })

  it('stay the same object while their rows are the same, so that their lines are not rendered again', () => {
    const log = createLog()
    const rows = createRows()
    const turns = () => listEntries(rows.update(log.all()), { unfolded: NONE }).map((e) => e.kind === 'turn' && e.turn)
    const [asha, juma] = [talk(log), talk(log, JUMA)]
    asha.says('one')
    juma.says('two')
    const before = turns()
    juma.gets('answer')
    const after = turns()
    expect(after[1]).toBe(before[1])
    expect(after[2]).not.toBe(before[2])
  })
})
