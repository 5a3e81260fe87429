import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { growth } from '../../support/cost.ts'
import { fold, compileWords, patternId, compileTapPattern } from '../../../src/bot/routes/pattern.ts'

describe('hears', () => {
  it('matches a plain word as the whole text, whatever its case, accents and surrounding space', () => {
    const hears = compileWords('Café').hears
    for (const text of ['café', ' CAFE ', 'cafe\u0301\n']) expect(hears(text)).toBeDefined()
    for (const text of ['cafés', 'a café', '']) expect(hears(text)).toBeUndefined()
  })

  it('matches any word of a list, plain or not', () => {
    const hears = compileWords(['saa', /hour/i]).hears
    expect(hears('SAA')).toEqual({})
    expect(hears('opening Hours?')).toMatchObject({ match: expect.arrayContaining(['Hour']) })
  })

  it('returns the match of an expression, with its groups', () => {
    expect(compileWords(/order (\d+)/).hears('my order 7781')?.match?.[1]).toBe('7781')
  })

  it('matches every time with a global or sticky expression', () => {
    for (const expression of [/hi/g, /hi/y, /hi/gy]) {
      const { hears } = compileWords(expression)
      expect([hears('hi'), hears('hi'), hears('hi')].every((match) => match !== undefined)).toBe(true)
    }
  })

  it('matches texts that begin with a sticky expression, and leaves the app’s own expression unchanged', () => {
    const sticky = /hi/y
    sticky.lastIndex = 1
    expect(compileWords(sticky).hears('hi there')).toBeDefined()
    expect(compileWords(sticky).hears('oh hi')).toBeUndefined()
    expect(sticky.lastIndex).toBe(1)
  })

  it('shows an expression at most 4,096 characters of a text', () => {
    expect(compileWords(/needle/).hears(`${'x'.repeat(4_096)}needle`)).toBeUndefined()
    expect(compileWords((text) => text.length === 4_096).hears('x'.repeat(10_000))).toBeDefined()
  })

  it('folds without losing letters of other scripts', () => {
    expect(fold('Здравствуй')).toBe('здравствуи')
    expect(fold('你好')).toBe('你好')
  })

  it.for([
    ['कल', 'काल'],
    ['ไม่', 'ไม'],
    ['আমি', 'আম'],
    ['かき', 'かぎ'],
  ] as const)('distinguishes two words that differ in more than an accent: %s and %s', ([one, other]) => {
    expect(compileWords(one).hears(one)).toBeDefined()
    expect(compileWords(one).hears(other)).toBeUndefined()
  })

  it.for([
    ['straße', 'STRASSE'],
    ['straße', 'STRAẞE'],
    ['ısı', 'ISI'],
    ['İstanbul', 'istanbul'],
    ['ΟΔΌΣ', 'οδος'],
    ['محمد', 'مُحَمَّد'],
    ['❤', '❤\ufe0f'],
    ['hours', '\u200fhours\u200b '],
    ['hours', '´hours'],
  ] as const)('matches one word in two spellings: %s and %s', ([one, other]) => {
    expect(compileWords(one).hears(other)).toBeDefined()
    expect(compileWords(other).hears(one)).toBeDefined()
  })
})

it('a long text matches if it folds to its word, however long it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      if (fold(text) !== '') expect(compileWords(fold(text)).hears(`  ${text}\u200b `)).toBeDefined()
    }),
    { numRuns: 500 },
  )
  expect(compileWords('habari').hears('habari'.repeat(1_000))).toBeUndefined()
})

describe('a pattern of a tapped id', () => {
  it('matches the exact id [R EVT-03]', () => {
    expect(compileTapPattern('track')('track')).toEqual({})
    expect(compileTapPattern('track')('Track')).toBeUndefined()
    expect(compileTapPattern('a.c')('abc')).toBeUndefined()
  })

  it('reads parts of an id by their names [R EVT-03]', () => {
    const taps = compileTapPattern('order:{id}:{line}')
    expect(taps('order:7781:2')).toEqual({ id: '7781', line: '2' })
    for (const id of ['order:7781', 'order::2', 'order:1:2:3', 'xorder:1:2']) expect(taps(id)).toBeUndefined()
  })

  it('reads a hostile id in time that grows no faster than the id', () => {
    const match = compileTapPattern('slot:{day}-{time}')
    const read = (dashes: number) => () => expect(match(`slot:${'-'.repeat(dashes)}:`)).toBeUndefined()
    expect(growth(read(10_000), read(80_000))).toBeLessThan(32)
  })

  it('treats special characters of an id literally', () => {
    expect(compileTapPattern('a+(b)|{x}')('a+(b)|7')).toEqual({ x: '7' })
  })

  it('refuses a pattern with an empty or repeated name, and quotes it', () => {
    expect(() => compileTapPattern('{a}:{a}')).toThrow(expect.objectContaining({ code: 'options_invalid' }))
    expect(() => compileTapPattern('x:{}')).toThrow("tapped('x:{}')")
  })
})

it('has the same name in every process', () => {
  expect(patternId(['hours', 'saa'])).toBe('hours|saa')
  expect(patternId(/hours|saa/i)).toBe('/hours|saa/i')
})
