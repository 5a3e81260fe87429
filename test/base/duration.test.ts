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
    '1h30m',
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    null,
  ])('is refused by its option’s name, with what was expected: %j', (span) => {
    expect(() => toMs(span as Duration, 'attempts.within')).toThrow(/^attempts\.within: expected a span such as '90s'/)
  })
})
