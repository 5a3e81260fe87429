import { describe, expect, it } from 'vitest'
import {
  INBOUND_KINDS,
  INBOUND_MEDIA_KINDS,
  isMessageType,
  MESSAGE_TYPES,
  type MessageMember,
  OUTBOUND_KINDS,
  readsMember,
  sendSchema,
} from 'switchhook/contract'

const MEMBERS: readonly MessageMember[] = [
  'text',
  'interactive',
  'template_name',
  'template_language',
  'template_components',
  'media_url',
  'media_caption',
  'media_filename',
]

describe('the types of a send', () => {
  it('are the seven of the specification [C SEND-02]', () => {
    expect(MESSAGE_TYPES).toEqual(['text', 'template', 'image', 'document', 'video', 'audio', 'interactive'])
    for (const type of MESSAGE_TYPES) expect(isMessageType(type)).toBe(true)
    for (const odd of ['location', 'toString', 'TEXT', '', undefined, null, 5]) expect(isMessageType(odd)).toBe(false)
  })

  it.each([
    ['text', ['text']],
    ['interactive', ['interactive']],
    ['template', ['template_name', 'template_language', 'template_components']],
    ['image', ['media_url', 'media_caption']],
    ['video', ['media_url', 'media_caption']],
    ['document', ['media_url', 'media_caption', 'media_filename']],
    ['audio', ['media_url']],
  ] as const)('%s reads its own members and no others [C SEND-04, C SEND-05]', (type, members) => {
    expect(MEMBERS.filter((member) => readsMember(type, member))).toEqual(members)
  })

  it.each(MESSAGE_TYPES)(
    '%s is refused without each member that it requires [C SEND-03, C SEND-05, C SEND-11]',
    (type) => {
      const { error } = sendSchema.safeParse({ to: '255712345678', type })
      expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(OUTBOUND_KINDS[type].requires)
    },
  )

  it('only audio can be played [B EVT-04]', () => {
    expect(MESSAGE_TYPES.filter((type) => OUTBOUND_KINDS[type].playable)).toEqual(['audio'])
  })
})

it('a customer sends texts, taps, four kinds of media, locations and contacts [R EVT-03]', () => {
  expect(Object.keys(INBOUND_KINDS)).toEqual([
    'text',
    'image',
    'audio',
    'video',
    'document',
    'interactive',
    'button',
    'location',
    'contacts',
  ])
  expect(INBOUND_MEDIA_KINDS).toEqual(['image', 'audio', 'video', 'document'])
})
