import { describe, expect, it } from 'vitest'
import { isOption, wiredKey, wireId } from '../../src/service/tap-id.ts'

const KEY = `sh1_${'Ab-_0'.repeat(9).slice(0, 43)}`
const OTHER = `sh1_${'Zz9'.repeat(15).slice(0, 43)}`
const SIGNED = `~order.eyJpZCI6IjcifQ.t9abc1.${'S'.repeat(16)}`

/** Ids as apps write them. */
const IDS = [
  'yes',
  'no',
  'Yes',
  'YES',
  '1',
  '0',
  'order:7781',
  'order:7781:track',
  'a',
  'A',
  'ä',
  'نعم',
  'हाँ',
  '👍',
  ' yes',
  'yes ',
  'yes\n',
  'x'.repeat(200),
  'y'.repeat(256),
  '{"id":7}',
  'https://shop.example/?a=1',
  '~order.eyJpZCI6IjcifQ',
  wireId(OTHER, 'yes'),
]

describe('the id of an option that names its send', () => {
  it.each(IDS)('is as long for %j as for any other, within the limits of buttons and rows, and found by it', (id) => {
    const wire = wireId(KEY, id)
    expect(wire).toHaveLength(61)
    expect(wire.length).toBeLessThan(200)
    expect(wiredKey(wire)).toBe(KEY)
    expect(isOption(wire, id)).toBe(true)
    expect(IDS.filter((one) => isOption(wire, one))).toEqual([id])
  })

  it('is the same for an option of tap() before and after it was signed', () => {
    expect(wireId(KEY, SIGNED)).toBe(wireId(KEY, '~order.eyJpZCI6IjcifQ'))
    expect(isOption(wireId(KEY, SIGNED), SIGNED)).toBe(true)
    expect(isOption(SIGNED, '~order.eyJpZCI6IjcifQ')).toBe(true)
  })

  it('is another one for another send', () => {
    expect(wireId(KEY, 'yes')).not.toBe(wireId(OTHER, 'yes'))
  })

  const wire = wireId(KEY, 'yes')
  it.each([
    ...IDS.slice(0, -1),
    '',
    KEY,
    `${KEY}.`,
    `${KEY}:fallback`,
    wire.slice(1),
    wire.slice(0, -1),
    `${wire}x`,
    ` ${wire}`,
    `${wire}\n`,
    wire.toUpperCase(),
    wire.replace('sh1_', 'sh2_'),
    wire.replace('.', ':'),
    `${wire}.${wire}`,
    SIGNED,
  ])('is not %j, which stays what it is', (id) => {
    expect(wiredKey(id)).toBeUndefined()
  })
})
