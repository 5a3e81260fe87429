import { expect, it } from 'vitest'
import { dateOf } from '../../src/client/index.ts'

it.each([
  ['2026-01-01T09:00:00Z', '2026-01-01T09:00:00.000Z', true],
  ['2026-01-01T12:00:00.250+03:00', '2026-01-01T09:00:00.250Z', true],
  ['2026-01-01T04:30:00-0430', '2026-01-01T09:00:00.000Z', true],
  ['2026-01-01T09:00:00', '2026-01-01T09:00:00.000Z', false],
  ['2026-01-01 09:00:00.123456', '2026-01-01T09:00:00.123Z', false],
])('a date of the service is read, as UTC where it has no zone: %s [C SEND-26]', (text, iso, zoned) => {
  expect(dateOf(text)).toEqual({ at: new Date(iso), zoned })
})

it.each([null, undefined, '', 'soon', '2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-01', '1767258000', 5])(
  'what is no date is undefined and breaks nothing: %s [C GEN-10]',
  (text) => {
    expect(dateOf(text as string)).toBeUndefined()
  },
)
