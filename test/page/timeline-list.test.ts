import { describe, expect, it } from 'vitest'
import {
  countLinesAfter,
  isLine,
  lineAtDistance,
  listEntries,
  scrollTopToShow,
  visibleRange,
} from '../../src/page/timeline/entries.ts'
import { createRows } from '../../src/page/timeline/rows/build.ts'
import { call, createLog } from './support/timeline-log.ts'

const DAY = 24 * 3_600_000
const FOLDED = { unfolded: new Set<string>() }

function fourOverTwoDays() {
  const log = createLog('2026-03-04T12:00:00.000Z')
  for (const days of [0, 0, 1, 0, -1]) {
    log.pass(days * DAY)
    log.add('api', call())
  }
  return createRows().update(log.all(), 0)
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

  it('counts the rows that came since, without the day lines', () => {
    const rows = fourOverTwoDays()
    expect(countLinesAfter(listEntries(rows, FOLDED), rows[1]?.seq ?? -1)).toBe(3)
    expect(countLinesAfter(listEntries(rows, FOLDED), rows[4]?.seq ?? -1)).toBe(0)
  })

  it('renders the visible rows and a few more, however many rows there are', () => {
    for (const top of [0, 1, 15_000, 299_170, 10_000_000]) {
      const { from, to } = visibleRange({ top, height: 830, rowHeight: 30, count: 10_000 })
      const seen = [Math.floor(top / 30), Math.ceil((top + 830) / 30)].map((index) => Math.min(index, 10_000))
      expect(from).toBeLessThanOrEqual(seen[0] as number)
      expect(to).toBeGreaterThanOrEqual(seen[1] as number)
      expect(to - from).toBeLessThan(80)
    }
    expect(visibleRange({ top: 0, height: 830, rowHeight: 30, count: 3 })).toEqual({ from: 0, to: 3 })
  })

  it('scrolls no further than needed to show a row', () => {
    const at = { top: 300, height: 300, rowHeight: 30 }
    expect(scrollTopToShow({ ...at, index: 10 })).toBeUndefined()
    expect(scrollTopToShow({ ...at, index: 19 })).toBeUndefined()
    expect(scrollTopToShow({ ...at, index: 9 })).toBe(270)
    expect(scrollTopToShow({ ...at, index: 20 })).toBe(330)
  })
})
