import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold, foldWithin, hearing, patternId, tapping } from '../../src/routes/pattern.ts'

describe('what a bot hears', () => {
  it('takes a plain word as the whole text, whatever its case, accents and surrounding space', () => {
    const hears = hearing('Café').hears
    for (const text of ['café', ' CAFE ', 'cafe\u0301\n']) expect(hears(text)).toBeDefined()
    for (const text of ['cafés', 'a café', '']) expect(hears(text)).toBeUndefined()
  })

  it('takes any word of a list, plain or not', () => {
    const hears = hearing(['saa', /hour/i]).hears
    expect(hears('SAA')).toEqual({})
    expect(hears('opening Hours?')).toMatchObject({ match: expect.arrayContaining(['Hour']) })
  })

  it('hands out the match of an expression, with its groups', () => {
    expect(hearing(/order (\d+)/).hears('my order 7781')?.match?.[1]).toBe('7781')
  })

  it('hears every time with a global or sticky expression', () => {
    const hears = hearing(/hi/g).hears
    expect([hears('hi'), hears('hi'), hears('hi')].every((match) => match !== undefined)).toBe(true)
  })

  it('shows an expression at most 4,096 characters of a text', () => {
    expect(hearing(/needle/).hears(`${'x'.repeat(4_096)}needle`)).toBeUndefined()
    expect(hearing((text) => text.length === 4_096).hears('x'.repeat(10_000))).toBeDefined()
  })

  it('folds without losing letters of other scripts', () => {
    expect(fold('Здравствуй')).toBe('здравствуи')
    expect(fold('你好')).toBe('你好')
  })
})

describe('a long text', () => {
  it('is looked for among short words by its beginning alone, and never missed for that', () => {
    const marked = fc.array(
      fc.constantFrom('a', 'É', 'é', 'İ', '\u0301', '\u{1D165}', 'ﷺ', '한', ' ', '👍🏽', '\ud83d'),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          marked.map((parts) => parts.join('')),
        ),
        fc.nat(12),
        (text, longest) => {
          const folded = fold(text)
          if (folded.length <= longest) expect(foldWithin(text, longest)).toBe(folded)
        },
      ),
      { numRuns: 500 },
    )
    expect(foldWithin('habariyako', 5)).toBeUndefined()
  })

  it('folds alike with accents and without', () => {
    expect(['CAFÉ', 'cafe', ' Cafe\u0301 '].map(fold)).toEqual(['cafe', 'cafe', 'cafe'])
  })
})

describe('what a customer taps', () => {
  it('R EVT-03 takes the exact id', () => {
    expect(tapping('track')('track')).toEqual({})
    expect(tapping('track')('Track')).toBeUndefined()
    expect(tapping('a.c')('abc')).toBeUndefined()
  })

  it('R EVT-03 reads parts of an id by their names', () => {
    const taps = tapping('order:{id}:{line}')
    expect(taps('order:7781:2')).toEqual({ id: '7781', line: '2' })
    for (const id of ['order:7781', 'order::2', 'order:1:2:3', 'xorder:1:2']) expect(taps(id)).toBeUndefined()
  })

  it('takes special characters of an id as they are', () => {
    expect(tapping('a+(b)|{x}')('a+(b)|7')).toEqual({ x: '7' })
  })

  it('refuses a pattern whose names are not its own, by name', () => {
    expect(() => tapping('{a}:{a}')).toThrow(expect.objectContaining({ code: 'options_invalid' }))
    expect(() => tapping('x:{}')).toThrow("tapped('x:{}')")
  })
})

it('names a pattern the same way in every process', () => {
  expect(patternId(['hours', 'saa'])).toBe('hours|saa')
  expect(patternId(/hours|saa/i)).toBe('/hours|saa/i')
})
