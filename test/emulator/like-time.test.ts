import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { millisecondsOf, timeLike } from '../../src/emulator/events/like-time.ts'

const AT = Date.UTC(2026, 4, 1, 8, 0, 0, 500)

describe('a time like a recorded one', () => {
  for (const [recorded, like] of [
    [1772615721, 1777622400],
    [1772615721.25, 1777622400.5],
    [1772615721120, AT],
    [1772615721120456, AT * 1_000],
    ['1772615721', '1777622400'],
    ['1772615721.250', '1777622400.500'],
    ['2026-03-04T09:15:21Z', '2026-05-01T08:00:00Z'],
    ['2026-03-04T09:15Z', '2026-05-01T08:00Z'],
    ['2026-03-04T09:15:21.481203Z', '2026-05-01T08:00:00.500000Z'],
    ['2026-03-04T09:15:21.4', '2026-05-01T08:00:00.5'],
    ['2026-03-04 12:15:21,120+03:00', '2026-05-01 11:00:00,500+03:00'],
    ['2026-03-04T04:45:21-0430', '2026-05-01T03:30:00-0430'],
    ['2026-03-04T12:15:21 +03', '2026-05-01T11:00:00 +03'],
    ['2026-03-04 09:15:21 UTC', '2026-05-01 08:00:00 UTC'],
  ] as const)
    it(`is ${like} for ${recorded} [R EVT-09]`, () => {
      expect(timeLike(recorded, AT)).toBe(like)
      expect(Math.abs((millisecondsOf(like) ?? 0) - AT)).toBeLessThan(60_000)
    })

  it('is what it was, at its own time', () => {
    const iso = fc
      .date({ min: new Date('2001-10-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString())
    const count = fc.integer({ min: 1e9, max: 4e9 })
    fc.assert(
      fc.property(fc.oneof(iso, count, count.map(String)), (time) => {
        expect(timeLike(time, millisecondsOf(time) as number)).toBe(time)
      }),
    )
  })

  it('is none for what is no time', () => {
    for (const other of [
      'yesterday',
      '',
      '12',
      7400,
      '255712000101000000',
      '2026-03-04',
      '2026-99-04T09:15:21Z',
      null,
      {},
      true,
    ])
      expect([timeLike(other, AT), millisecondsOf(other)], JSON.stringify(other)).toEqual([undefined, undefined])
  })
})
