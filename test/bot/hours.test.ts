import { describe, expect, it } from 'vitest'
import { afterOpenTime, isOpen, nextOpening } from '../../src/bot/hours.ts'

const at = (text: string) => Date.parse(text)
const DAY = { from: 8 * 60, to: 20 * 60 }
const NIGHT = { from: 20 * 60, to: 6 * 60 }

describe('hours of a day in a zone', () => {
  it.each([
    // Dar es Salaam is three hours ahead of UTC all year.
    [DAY, 'Africa/Dar_es_Salaam', '2026-03-04T05:00:00Z', '2026-03-04T05:00:00Z'],
    [DAY, 'Africa/Dar_es_Salaam', '2026-03-04T04:59:59.999Z', '2026-03-04T05:00:00Z'],
    [DAY, 'Africa/Dar_es_Salaam', '2026-03-04T16:59:59Z', '2026-03-04T16:59:59Z'],
    [DAY, 'Africa/Dar_es_Salaam', '2026-03-04T17:00:00Z', '2026-03-05T05:00:00Z'],
    [DAY, 'Asia/Kolkata', '2026-03-04T00:00:00Z', '2026-03-04T02:30:00Z'],
    [DAY, 'America/Los_Angeles', '2026-03-04T12:00:00Z', '2026-03-04T16:00:00Z'],
    // The hours continue past midnight.
    [NIGHT, 'UTC', '2026-03-04T02:00:00Z', '2026-03-04T02:00:00Z'],
    [NIGHT, 'UTC', '2026-03-04T06:00:00Z', '2026-03-04T20:00:00Z'],
    // Berlin's clocks go from 2:00 to 3:00 on 29 March 2026, so what opens at 8:00 opens an hour earlier by UTC.
    [DAY, 'Europe/Berlin', '2026-03-28T20:00:00Z', '2026-03-29T06:00:00Z'],
    // Hours that this change skips open on the next day.
    [{ from: 130, to: 170 }, 'Europe/Berlin', '2026-03-29T00:30:00Z', '2026-03-30T00:10:00Z'],
    // Hours that are there twice are open both times: clocks go back from 3:00 to 2:00 on 25 October 2026.
    [{ from: 130, to: 170 }, 'Europe/Berlin', '2026-10-25T01:20:00Z', '2026-10-25T01:20:00Z'],
  ])('%o in %s after %s open at %s', (hours, zone, from, opens) => {
    expect(new Date(nextOpening(hours, zone, at(from))).toISOString()).toBe(new Date(opens).toISOString())
    expect(isOpen(hours, zone, nextOpening(hours, zone, at(from)))).toBe(true)
  })

  it.each([
    [1, '2026-03-04T12:00:00Z', '2026-03-04T13:00:00Z'],
    [8, '2026-03-04T12:00:00Z', '2026-03-04T20:00:00Z'],
    [9, '2026-03-04T12:00:00Z', '2026-03-05T09:00:00Z'],
    [8 + 12 + 3, '2026-03-04T12:00:00Z', '2026-03-06T11:00:00Z'],
    [1, '2026-03-04T22:00:00Z', '2026-03-05T09:00:00Z'],
  ])('%i open hours after %s end at %s', (count, from, ends) => {
    expect(new Date(afterOpenTime(DAY, 'UTC', at(from), count * 3_600_000)).toISOString()).toBe(
      new Date(ends).toISOString(),
    )
  })

  it('refuse a zone that does not exist', () => {
    expect(() => isOpen(DAY, 'Mars/Base', 0)).toThrow(RangeError)
  })
})
