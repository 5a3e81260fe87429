import { describe, expect, it } from 'vitest'
import { buttons } from '../../src/service/interactive.ts'
import { encodeSend } from '../../src/service/wire.ts'
import { refused, refusedSend } from './refused.ts'

const TO = '255712345678'
const four = buttons('b', [
  { id: 'a', title: 'x'.repeat(27) },
  { id: 'b', title: 'B' },
  { id: 'c', title: 'C' },
  { id: 'a', title: 'D' },
])

const PROBLEMS = [
  'interactive.buttons[0].title: 27 characters, at most 20: shorten it, nothing is cut',
  'interactive.buttons: 4 buttons, at most 3: use list() for up to 10',
  'interactive.buttons[3].id: repeats that of interactive.buttons[0].id, so the bot could not distinguish their taps',
]

describe('a content that breaks a limit', () => {
  it('is refused with all problems and their places [C SEND-07, F-82]', () => {
    expect(refusedSend(four)).toBe(PROBLEMS.join('; '))
  })
})

describe('a body without a member that its type requires', () => {
  it.each([
    ['text', ['text']],
    ['template', ['template_name', 'template_language']],
    ['image', ['media_url']],
    ['document', ['media_url']],
    ['video', ['media_url']],
    ['audio', ['media_url']],
    ['interactive', ['interactive']],
  ] as const)('is refused with the missing members: %s [C SEND-03, C SEND-05, C SEND-11]', (type, required) => {
    const missing = required.map((member) => `${member}: missing, required for type ${type}: set it`)
    for (const nothing of [undefined, null]) {
      const members = Object.fromEntries(required.map((member) => [member, nothing]))
      const content = { kind: 'text', wire: { type, ...members } } as const
      expect(refusedSend(content)).toBe(missing.join('; '))
    }
  })

  it('is encoded if this release does not know the type, because another release may have made the content [C GEN-10]', () => {
    const content = { kind: 'text', wire: { type: 'location', location: {} } } as const
    expect(JSON.parse(encodeSend(content, TO))).toEqual({ to: TO, type: 'location', location: {} })
  })
})

it.each([
  ['half a character', () => encodeSend('👍'.slice(1), TO)],
  ['a number', () => encodeSend(42 as never, TO)],
  ['a recipient that is none', () => encodeSend('hi', '0712 345 678')],
])('a value that is not a content or not a number is refused: %s [C SEND-02, C SEND-01]', (_, encode) => {
  refused(encode)
})
