import { describe, expect, it } from 'vitest'
import { changedByJson, valueAt } from '../../../src/bot/work/json-value.ts'

class Money {
  amount = 3
}

const found = (value: unknown) => [...changedByJson(value)].map(({ path, what }) => `${path}: ${what}`)

describe('what JSON would change', () => {
  it.each<[unknown, string[]]>([
    [new Map(), [': a Map']],
    [{ seen: new Set([1]) }, ['seen: a Set']],
    [{ at: new Date(0) }, ['at: a Date']],
    [{ visits: [{ at: new Date(0) }, { price: Number.NaN }] }, ['visits[0].at: a Date', 'visits[1].price: NaN']],
    [{ 'two words': Infinity }, ['["two words"]: Infinity']],
    [{ price: new Money() }, ['price: a Money']],
    [[undefined], ['[0]: undefined in a list']],
    [{ run: () => {} }, ['run: a function']],
    [{ key: Symbol('x') }, ['key: a symbol']],
    [/x/, [': a RegExp']],
    [new Error('x'), [': a Error']],
    [Buffer.from('x'), [': a Buffer']],
  ])('is found with its path: %o', (value, expected) => {
    expect(found(value)).toEqual(expected)
  })

  it.each([
    undefined,
    null,
    1,
    'text',
    true,
    [],
    {},
    { a: undefined },
    { a: [1, [2, { b: null }]] },
    Object.create(null) as object,
    structuredClone({ a: 1 }),
    // The next step of JSON refuses them in words.
    10n,
    { a: 10n },
  ])('is not in %o', (value) => {
    expect(found(value)).toEqual([])
  })

  it('is not looked for twice in a ring, which JSON refuses', () => {
    const ring: { self?: unknown } = {}
    ring.self = ring
    expect(found(ring)).toEqual([])
  })

  it.each([
    ['visits[0].at', 7],
    ['["two words"]', 8],
    ['', undefined],
    ['none[3].x', undefined],
  ])('has its place in a copy: %s', (path, expected) => {
    const copy = { visits: [{ at: 7 }], 'two words': 8 }
    expect(valueAt(copy, path)).toEqual(path === '' ? copy : expected)
  })
})
