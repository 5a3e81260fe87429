import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { answerTo, questionOf } from '../../../src/features/conversations/question.ts'
import { buttons } from '../../../src/service/interactive.ts'
import { compileWords } from '../../../src/bot/routes/pattern.ts'
import { defineConversation } from '../../../src/features/conversations/conversation.ts'
import { createBot } from '../../../src/bot/switchhook.ts'
import type { Message } from '../../../src/bot/routes/context.ts'
import { message } from '../work/message.ts'

const SAME = [
  ['hours', 'Hours?'],
  ['hours', 'HOURS!!!'],
  ['hours', '"hours"'],
  ['hours', '“hours”'],
  ['hours', '« hours »'],
  ['hours', '*hours*'],
  ['hours', '_hours_'],
  ['hours', '~hours~'],
  ['hours', '`hours`'],
  ['hours', '- hours'],
  ['hours', '• hours'],
  ['hours', '/hours'],
  ['hours', 'hours 🙏🏽'],
  ['hours', '🕘 hours 🇹🇿'],
  ['hours', 'hours 👨‍👩‍👧'],
  ['hours', 'hours…'],
  ['hours', '¿hours?'],
  ['hours', '(hours)'],
  ['hours', 'hours\n.'],
  ['🕘 Hours', 'hours'],
  ['ℹ️ Info', 'info'],
  ['Thanks!', 'thanks'],
  ['opening hours', 'opening   hours'],
  ['opening hours', 'opening\u00a0hours'],
  ['opening hours', 'Opening\nhours.'],
  ["don't know", 'don’t know'],
  ["don't know", 'don‘t know.'],
  ["don't know", 'don´t know'],
  ['check-in', 'check‑in'],
  ['check-in', 'Check–in'],
  ['check-in', 'check−in'],
  ['کتابی', 'كتابي'],
  ['مدرسة', 'مدرسه'],
  ['می‌خواهم', 'میخواهم'],
  ['توقف', 'تو\u0640قف.'],
  ['12', '۱۲'],
  ['12', '१२.'],
  ['5', '5.'],
  ['a', 'A)'],
  ['👍', '👍🏾'],
  ['A+', 'a+'],
  ['C#', 'c#!'],
] as const

const OTHERS = [
  ['hours', 'hour'],
  ['hours', 'hours please'],
  ['hours', 'what are your hours?'],
  ['hours', '24hours'],
  ['hours', 'hours2'],
  ['hours', 'ho urs'],
  ['hours', 'ho-urs'],
  ['hours', '🕘'],
  ['hours', '?'],
  ['hours', ''],
  ['opening hours', 'openinghours'],
  ['opening hours', 'opening. hours'],
  ["don't", 'dont'],
  ['check-in', 'checkin'],
  ['A+', 'A-'],
  ['A+', 'A'],
  ['A-', 'A'],
  ['AB-', 'AB+'],
  ['-5', '5'],
  ['5', '-5'],
  ['5', '+5'],
  ['5', '5%'],
  ['5', '€5'],
  ['c', 'C++'],
  ['👍', '👎'],
  ['👍', 'yes 👍'],
  ['!', '?'],
  ['لڑکی', 'لڑکے'],
  ['کل', 'گل'],
  ['कल', 'काल'],
] as const

describe('a word', () => {
  it.each(SAME)(
    'matches whatever signs, emoji and blanks surround it, and however its letters are typed: %j, %j',
    (word, text) => {
      expect(compileWords(word).hears(text)).toEqual({})
      expect(compileWords(text).hears(word)).toEqual({})
    },
  )

  it.each(OTHERS)('does not match another word: %j, %j', (word, text) => {
    expect(compileWords(word).hears(text)).toBeUndefined()
  })

  it('matches to the letter if it is exact', () => {
    const { hears } = compileWords(['STOP', 'Café'], { exact: true })
    for (const text of ['STOP', 'Café', 'Cafe\u0301']) expect(hears(text)).toEqual({})
    for (const text of ['stop', 'STOP.', ' STOP', 'Cafe', '*STOP*', '"STOP"']) expect(hears(text)).toBeUndefined()
  })

  it('may be registered exactly and otherwise, and not twice in forms that are compared alike', () => {
    const nothing = () => {}
    const both = () => createBot().hears('Hours', nothing, { exact: true }).hears('Hours', nothing)
    expect(both).not.toThrow()
    expect(() => createBot().hears('Hours', nothing, { exact: true }).hears('Hours', nothing, { exact: true })).toThrow(
      'two routes are called "hears:=Hours"',
    )
    expect(() => createBot().hears('x', nothing, { exact: 1 as never })).toThrow(/hears\(\): expected .*nothing/)
  })

  it('cancels a conversation, or passes it, in each of these forms', () => {
    const { definition } = defineConversation(
      'c',
      { version: 1, timeout: '5m', cancelWords: ['cancel'], passThrough: ['help'] },
      async () => {},
    )
    for (const [word, text] of SAME)
      if (word === 'hours') {
        expect(definition.isCancelWord(text.replace(/hours/i, 'Cancel'))).toBe(true)
        expect(definition.passesThrough(text.replace(/hours/i, 'Help'))).toBe(true)
      }
    for (const [word, text] of OTHERS)
      if (word === 'hours') expect(definition.isCancelWord(text.replace('hours', 'cancel'))).toBe(false)
  })
})

const says = (...texts: string[]) => texts.map((text) => message({ text }))
const YES_NO = buttons('?', [
  { id: 'yes', title: '👍 Yes' },
  { id: 'no', title: "Don't" },
  { id: 'later', title: '3️⃣ Later' },
])
const BLOOD = buttons('?', [
  { id: 'a+', title: 'A+' },
  { id: 'a-', title: 'A-' },
  { id: '0', title: '0' },
])
const CITY = z.enum(['Dar es Salaam', 'Moshi'])
const answer = async (content: Parameters<typeof questionOf>[0], o: object, messages: readonly Message[]) => {
  const found = await answerTo(questionOf(content, o, 3_600_000), messages)
  return found.as === 'answer' ? (JSON.parse(found.result) as { value: unknown }).value : found.as
}

describe('an answer', () => {
  it.each([
    [YES_NO, says('Yes!'), 'yes'],
    [YES_NO, says('yes 🙏'), 'yes'],
    [YES_NO, says('don’t.'), 'no'],
    [YES_NO, says('later'), 'later'],
    [YES_NO, says('yes', 'thanks'), 'yes'],
    [YES_NO, says('hello', 'Yes.', '🙏'), 'yes'],
    [YES_NO, says('yes', 'no'), 'no'],
    [YES_NO, says('yes', 'no, sorry'), 'yes'],
    [BLOOD, says('a+'), 'a+'],
    [BLOOD, says('A−.'), 'a-'],
    [YES_NO, says('yes please'), 'invalid'],
    [YES_NO, says('👍'), 'invalid'],
    [YES_NO, says('thanks', 'hello'), 'invalid'],
    [BLOOD, says('A'), 'invalid'],
    [BLOOD, says('A +'), 'invalid'],
    [BLOOD, says('AB+'), 'invalid'],
  ] as const)('chooses the option that it means, or none (%#)', async (content, messages, expected) => {
    expect(await answer(content, {}, messages)).toBe(expected)
  })

  it.each([
    [CITY, says('dar es salaam.'), 'Dar es Salaam'],
    [CITY, says('MOSHI 🙏'), 'Moshi'],
    [CITY, says('Moshi', 'thanks'), 'Moshi'],
    [CITY.optional(), says('moshi'), 'Moshi'],
    [CITY.transform((city) => city.length), says('moshi!'), 5],
    [z.union([z.literal('a'), z.literal('b')]), says('B.'), 'b'],
    [z.literal(['x', 'y']), says('Y!'), 'y'],
    [CITY, says('Arusha'), 'invalid'],
    [CITY, says('Moshi or Arusha'), 'invalid'],
    [z.string().regex(/^[a-z]+$/), says('moshi!'), 'invalid'],
    [z.iso.date(), says('2026-12-24'), '2026-12-24'],
    [z.string(), says('Moshi!', '🙏'), 'Moshi!\n🙏'],
  ] as const)(
    'is one of the texts that a schema lists, and kept as written for any other schema (%#)',
    async (as, messages, expected) => {
      expect(await answer('?', { as }, messages)).toBe(expected)
    },
  )

  it('of a schema from another library is one of its texts too', async () => {
    const picklist = (options: readonly unknown[]) => ({
      options,
      '~standard': {
        version: 1,
        vendor: 'valibot',
        validate: (value: unknown) =>
          ['sw', 'en'].includes(value as string) ? { value } : { issues: [{ message: '' }] },
      },
    })
    expect(await answer('?', { as: picklist(['sw', 'en']) }, says('SW.'))).toBe('sw')
    expect(await answer('?', { as: picklist([{ literal: 'sw' }]) }, says('SW.'))).toBe('sw')
    expect(await answer('?', { as: picklist([1]) }, says('SW.'))).toBe('invalid')
  })

  it('of a texts and a word that skips media skips them', async () => {
    const { media } = await import('../../../src/features/conversations/conversation.ts')
    const as = media('image', { skip: ['no'] })
    for (const messages of [says('No.'), says('no', 'thanks')]) expect(await answer('?', { as }, messages)).toEqual([])
    expect(await answer('?', { as }, says('no idea'))).toBe('invalid')
  })
})
