import { expect, it } from 'vitest'
import { bodyText } from '../../src/service/body-text.ts'
import { MESSAGE_TYPES } from '../../src/service/contract.ts'

it('the text of a body is where its type has it, and nowhere else [C SEND-04]', () => {
  const all = { text: 'T', media_caption: 'C', interactive: { body: 'I' } }
  const found = Object.fromEntries(MESSAGE_TYPES.map((type) => [type, bodyText({ ...all, type })]))
  expect(found).toEqual({
    text: 'T',
    template: undefined,
    image: 'C',
    document: 'C',
    video: 'C',
    audio: undefined,
    interactive: 'I',
  })
  expect(bodyText(all)).toBe('T')
  expect(bodyText({ type: 'image', media_caption: null })).toBeUndefined()
  expect(bodyText({ type: 'of-another-release', media_caption: 'C' })).toBe('C')
})
