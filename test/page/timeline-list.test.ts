import { describe, expect, it } from 'vitest'
import { isLine, lineAtDistance, listEntries } from '../../src/page/timeline/entries.ts'
import { type ChipName, rowFilter, toggleChip } from '../../src/page/timeline/filter.ts'
import { createRows } from '../../src/page/timeline/rows/rows.ts'
import { ASHA, call, createLog, delivery } from './support/timeline-log.ts'

const DAY = 24 * 3_600_000
const FOLDED = { unfolded: new Set<string>() }

function fourOverTwoDays() {
  const log = createLog('2026-03-04T12:00:00.000Z')
  for (const days of [0, 0, 1, 0, -1]) {
    log.pass(days * DAY)
    log.add('api', call())
  }
  return createRows().update(log.all())
}

describe('the list of the timeline', () => {
  it('has a line before each day, even a day that the clock went back to', () => {
    const entries = listEntries(fourOverTwoDays(), FOLDED)
    expect(entries.map((entry) => (isLine(entry) ? 'row' : entry.at.slice(0, 10)))).toEqual([
      '2026-03-04',
      'row',
      'row',
      '2026-03-05',
      'row',
      'row',
      '2026-03-04',
      'row',
    ])
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length)
  })

  it('moves from row to row across days, and stops at its ends', () => {
    const rows = fourOverTwoDays()
    const entries = listEntries(rows, FOLDED)
    const from = (index: number, by: number) =>
      rows.findIndex(({ id }) => id === lineAtDistance(entries, rows[index]?.id ?? '', by)?.id)
    expect([from(1, 1), from(2, -1), from(4, 1), from(0, -5), from(0, 12)]).toEqual([2, 1, 4, 0, 4])
    expect(lineAtDistance(entries, 'gone', 1)?.id).toBe(rows[4]?.id)
    expect(lineAtDistance([], 'gone', 1)).toBeUndefined()
  })
})

describe('a search', () => {
  const log = createLog()
  log.add('delivery', delivery({ id: '01JA', state: 'delivered', attempts: 1, last: { tookMs: 5, status: 200 } }))
  log.add('delivery', delivery({ id: '01JB', event: 'message.status', attempts: 1, last: { tookMs: 5, status: 503 } }))
  log.add('delivery', delivery({ id: '01JC', event: 'order.paid', customer: null, message: null }))
  log.add('api', call({ call: 'call_e', status: 409, code: 'outside_messaging_window', customer: '254700000102' }))
  const rows = createRows().update(log.all())
  const NAMES = ['received 200', 'status 503', 'order waits', 'call 409']
  const found = (query: string, chips: readonly ChipName[] = []) =>
    NAMES.filter((_, index) => rowFilter(query, chips, ASHA)?.(rows[index] as never) ?? true)

  it.each<[string, readonly ChipName[], string[]]>([
    ['', [], NAMES],
    ['OUTSIDE', [], ['call 409']],
    ['2547', [], ['call 409']],
    ['01jc', [], ['order waits']],
    ['message.status 503', [], ['status 503']],
    ['message.status 504', [], []],
    ['', ['customer'], ['received 200', 'status 503']],
    ['', ['failed'], ['status 503', 'call 409']],
    ['', ['waiting'], ['status 503', 'order waits']],
    ['', ['messages'], ['received 200']],
    ['', ['calls'], ['call 409']],
    ['', ['statuses', 'customer'], ['status 503']],
    ['503', ['messages'], []],
  ])('for the words “%s” and the chips %j finds %j', (query, chips, names) => {
    expect(found(query, chips)).toEqual(names)
  })

  it('has one chip of each group on', () => {
    expect(toggleChip(['customer', 'calls'], 'messages')).toEqual(['customer', 'messages'])
    expect(toggleChip(['customer', 'calls'], 'customer')).toEqual(['calls'])
  })
})
