import { afterEach, describe, expect, it } from 'vitest'
import { ar } from '../../../src/pages/desk/texts/ar.ts'
import { en } from '../../../src/pages/desk/texts/en.ts'
import { sw } from '../../../src/pages/desk/texts/sw.ts'
import { REFUSALS, type RefusalCode } from '../../../src/admin/requests.ts'
import { wordsOf } from '../../../src/pages/desk/requests-of-desk.ts'
import { NotAnswered } from '../../../src/pages/ui/ask.ts'
import { formatClock, formatMoment, formatWait, speak, t } from '../../../src/pages/desk/words.ts'

const MINUTE = 60_000

afterEach(() => speak('en', {}))

describe('the texts of the desk', () => {
  const blanks = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()

  it.each(Object.entries({ sw, ar }))('have the same names and blanks in %s as in English', (_, texts) => {
    expect(Object.keys(texts)).toEqual(Object.keys(en))
    for (const [name, text] of Object.entries(en))
      expect(blanks(texts[name as keyof typeof en]), name).toEqual(blanks(text))
  })

  it.each(['en', 'sw', 'ar'])('have their own words for each refusal of the server in %s', (language) => {
    speak(language, {})
    for (const code of Object.keys(REFUSALS)) {
      const words = wordsOf(new NotAnswered('of the server', code as RefusalCode))
      expect(words, code).toMatch(/^[^{}]{10,}$/)
      expect(words, code).not.toContain('of the server')
    }
    expect(wordsOf(new NotAnswered('no answer'))).toBe(t('unreachable'))
  })

  it('are in words that a receptionist knows', () => {
    const operators = /deliver(y|ies)|sends\b|parked|rested|ignored|freeform|ref\b|facts|failures|payload|webhook/i
    expect(Object.values(en).filter((text) => operators.test(text))).toEqual([])
  })

  it('are in the language of the desk, from right to left where it is written so, and the app’s own come first', () => {
    speak('ar-TZ', {})
    expect([t('direction'), t('take')]).toEqual(['rtl', ar.take])
    speak('sw', { take: 'Nipe' })
    expect([t('direction'), t('take'), t('pass')]).toEqual(['ltr', 'Nipe', sw.pass])
    speak('fr', { take: 'Prendre' })
    expect([t('locale'), t('take'), t('pass')]).toEqual(['fr', 'Prendre', en.pass])
    expect(t('newMessage', { name: '{name} $&' })).toBe('New message from {name} $&')
  })

  it('of a language that no browser knows still have times', () => {
    speak('not a language', {})
    expect(formatClock('2026-03-04T10:32:00.000Z')).toMatch(/^\d\d:\d\d$/)
  })
})

describe('times', () => {
  it('are minutes and 10:32, and no seconds', () => {
    expect([30_000, MINUTE, 59.9 * MINUTE, 60 * MINUTE, 49 * 60 * MINUTE].map(formatWait)).toEqual([
      'under 1 min',
      '1 min',
      '59 mins',
      '1 hr',
      '2 days',
    ])
    const at = new Date(2026, 2, 4, 10, 32, 15)
    expect(formatMoment(at.toISOString(), at.getTime())).toBe('10:32')
    expect(formatMoment(at.toISOString(), at.getTime() + 24 * 60 * MINUTE)).toBe('Wed 4 Mar, 10:32')
  })

  it('are written by the language', () => {
    speak('sw', {})
    const at = new Date(2026, 2, 4, 10, 32)
    expect(formatMoment(at.toISOString(), 0)).toBe('Jumatano, 4 Mac, 10:32')
  })
})
