import { describe, expect, it } from 'vitest'
import { type Duration, toMs } from '../../src/base/duration.ts'

describe('a span', () => {
  it.each<[Duration, number]>([
    ['250ms', 250],
    ['90s', 90_000],
    ['10m', 600_000],
    ['25h', 90_000_000],
    ['30d', 2_592_000_000],
    ['1.5s', 1_500],
    ['0s', 0],
    ['23h59m', 86_340_000],
    ['23h59m59s', 86_399_000],
    ['1d1h', 90_000_000],
    ['59m59.5s', 3_599_500],
    ['1s1ms', 1_001],
    [0, 0],
    [1_234, 1_234],
  ])('is converted to milliseconds: %j', (span, ms) => {
    expect(toMs(span)).toBe(ms)
  })

  it.each([
    '',
    's',
    '10',
    '10 s',
    '-5s',
    '1e3s',
    '10S',
    '10sec',
    '30m1h',
    '1h1h',
    '1h 30m',
    '1h30',
    'h',
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    null,
  ])('is refused by its option’s name, with the expected form: %j', (span) => {
    expect(() => toMs(span as Duration, 'attempts.within')).toThrow(/^attempts\.within: expected a span such as '90s'/)
  })
})
