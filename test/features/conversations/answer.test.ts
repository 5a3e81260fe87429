import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buttons, list } from '../../../src/service/interactive.ts'
import type { Content } from '../../../src/service/content.ts'
import { answerTo, questionOf } from '../../../src/features/conversations/question.ts'
import { media } from '../../../src/features/conversations/conversation.ts'
import type { Message } from '../../../src/bot/routes/context.ts'
import { message } from '../../bot/work/message.ts'

const HOUR = 3_600_000
const says = (text: string) => message({ text })
const taps = (id: string, title = id) => message({ kind: 'interactive', tapped: { id, title } })
const sends = (kind: string) => message({ kind, media: { kind, url: `https://media.example/${kind}` } })

const PAY = buttons('Pay?', [
  { id: 'cash', title: 'Taslimu' },
  { id: 'card', title: 'Kadi' },
])
const SLOTS = list('When?', { Morning: [{ id: '9', title: '09:00' }], Evening: [{ id: '17', title: '17:00' }] })
const PHOTOS = { as: media('image', { max: 2, skip: ['hapana', 'no'] }) }
const DAY = { as: z.iso.date() }

const value = (answer: unknown) => ({ as: 'answer', result: JSON.stringify({ value: answer }) })
const INVALID = { as: 'invalid' }
const ELSEWHERE = { as: 'elsewhere' }

it.each<[string, Content, object | undefined, readonly Message[], unknown]>([
  ['a text, trimmed', 'Name?', undefined, [says(' Asha ')], value('Asha')],
  ['the texts of a burst, in lines', 'Where?', undefined, [says('Moshi'), says('Street 4')], value('Moshi\nStreet 4')],
  ['no text at all', 'Name?', undefined, [says('  ')], INVALID],
  ['a picture to a text', 'Name?', undefined, [sends('image')], INVALID],
  ['a tap to a text', 'Name?', undefined, [taps('cash')], ELSEWHERE],
  ['a tapped option', PAY, undefined, [taps('card', 'Kadi')], value('card')],
  ['a row of a section', SLOTS, undefined, [taps('17')], value('17')],
  ['an option of an older question', PAY, undefined, [taps('9', 'Kadi')], ELSEWHERE],
  ['the title of an option, written', PAY, undefined, [says('kadi ')], value('card')],
  ['the id of an option, written', SLOTS, undefined, [says('9')], value('9')],
  ['another text to options', PAY, undefined, [says('gold')], INVALID],
  ['a text that fits the schema', 'Day?', DAY, [says('2026-12-24')], value('2026-12-24')],
  ['a text that does not fit the schema', 'Day?', DAY, [says('tomorrow')], INVALID],
  ['the output of the schema', 'How many?', { as: z.coerce.number() }, [says('3')], value(3)],
  [
    'an output that JSON changes, kept as its text',
    'When?',
    { as: z.coerce.date() },
    [says('2026-12-24')],
    { as: 'answer', result: '{"text":"2026-12-24"}' },
  ],
  ['an option through a schema', PAY, { as: z.literal('card') }, [taps('card')], value('card')],
  ['a written text through a schema, beside options', PAY, { as: z.string().min(2) }, [says('gold')], value('gold')],
  ['a picture', 'Photos?', PHOTOS, [sends('image')], value([sends('image').media])],
  [
    'the pictures of a burst, with a text between them',
    'Photos?',
    PHOTOS,
    [sends('image'), says('and'), sends('image')],
    value([sends('image').media, sends('image').media]),
  ],
  [
    'no more pictures than asked for',
    'Photos?',
    PHOTOS,
    [sends('image'), sends('image'), sends('image')],
    value([sends('image').media, sends('image').media]),
  ],
  ['another kind of medium', 'Photos?', PHOTOS, [sends('video')], INVALID],
  ['a word that skips', 'Photos?', PHOTOS, [says('HAPANA')], value([])],
  ['another word to media', 'Photos?', PHOTOS, [says('later')], INVALID],
  ['a tapped word that skips', buttons('Photos?', [{ id: 'n', title: 'No' }]), PHOTOS, [taps('n', 'No')], value([])],
  ['a tap to media', 'Photos?', PHOTOS, [taps('cash')], ELSEWHERE],
])('an answer to a question is %s', async (_what, content, options, messages, expected) => {
  expect(await answerTo(questionOf(content, (options ?? {}) as never, HOUR), messages)).toEqual(expected)
})

describe('a question', () => {
  it('for an unknown kind of media is refused where it is written, with the known ones', () => {
    expect(() => media('imagee' as 'image')).toThrow("media(): kind: expected 'image', ")
  })

  it.each<[object, RegExp]>([
    [{ tries: 0 }, /tries/],
    [{ as: 'number' }, /as: expected a schema/],
    [{ remind: { after: '1h', content: '?' } }, /remind.after: expected a span above zero and below/],
    [{ remind: { after: 0, content: '?' } }, /remind.after: expected a span above zero/],
    [{ remind: { after: '10m' } }, /remind.content/],
    [{ invaild: 'again' }, /invaild: this option does not exist/],
  ])('with %o is refused by its name', (options, told) => {
    expect(() => questionOf('?', options as never, HOUR)).toThrow(told)
  })
})
