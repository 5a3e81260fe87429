import { expect, it } from 'vitest'
import { buttons } from '../../src/service/interactive.ts'
import { encodeSend } from '../../src/service/wire.ts'
import { refusedSend } from './refused.ts'

const TO = '255712345678'
it('a content that breaks limits is refused when it is sent, with all problems and their places, and without its text [C SEND-07, C SEND-10, F-82]', () => {
  const options = ['a', 'b', 'a', 'c'].map((id, at) => ({ id, title: id === 'b' ? 'x'.repeat(21) : `Track ${at}` }))
  expect(refusedSend(buttons('b', options.slice(0, 3)))).toBe(
    "interactive.buttons[1].title: must have 1 to 20 characters: pass fit: 'ellipsis' to its builder, which cuts it; interactive.buttons: option ids must not repeat",
  )
  expect(refusedSend(buttons('b', options))).toBe('interactive.buttons: must have at most 3')
})

it('a body is encoded if this release does not know the type, because another release may have made the content [C GEN-10]', () => {
  const content = { kind: 'text', wire: { type: 'location', location: {} } } as const
  expect(JSON.parse(encodeSend(content, TO))).toEqual({ to: TO, type: 'location', location: {} })
})
