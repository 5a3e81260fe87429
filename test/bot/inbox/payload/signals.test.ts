import { describe, expect, it } from 'vitest'
import { message, received } from './reading.ts'

const bare = { message_type: undefined, content: undefined }
const read = (changes: object, more?: Parameters<typeof received>[1]) =>
  received(message({ ...bare, ...changes }), more).facts

/** Events of comparable platforms, each with the kind that it is. */
const SIGNALS: readonly (readonly [kind: string, changes: object])[] = [
  ['reaction', { type: 'reaction', reaction: { message_id: 'wamid.1', emoji: '👍' } }],
  ['reaction', { type: 'REACTION', reaction: '❤️' }],
  ['reaction', { message_type: 'reactionMessage', reaction: { text: '👍', key: { id: 'A1' } } }],
  ['reaction', { type: 'message_reaction', emoji: '👍', text: '👍' }],
  ['reaction', { reaction: { emoji: '👍', message_id: 'm-0' } }],
  ['reaction', { reaction: { emoji: '', message_id: 'm-0' } }],
  ['reaction', { type: 'unreact', reaction: { message_id: 'm-0' } }],
  ['edited', { type: 'edited', text: 'size 43' }],
  ['edited', { type: 'text', text: 'size 43', edited: true }],
  ['edited', { type: 'text', text: 'size 43', is_edited: 'true' }],
  ['edited', { type: 'text', text: 'size 43', editedAt: '2026-03-04T09:16:00Z' }],
  ['edited', { type: 'text', text: 'size 43', action: 'edit' }],
  ['edited', { text: 'size 43', edit_date: 1772615730 }],
  ['edited', { type: 'message_edit', text: 'size 43' }],
  ['deleted', { type: 'deleted' }],
  ['deleted', { type: 'revoked' }],
  ['deleted', { type: 'text', text: 'size 42', deleted: 1 }],
  ['deleted', { type: 'text', deleted_at: 1772615730 }],
  ['deleted', { type: 'text', text: 'x', subtype: 'revoke' }],
  ['deleted', { type: 'unsend' }],
  ['sticker', { type: 'sticker', sticker: { url: 'https://media.test/1.webp', mime_type: 'image/webp' } }],
  ['call', { type: 'call' }],
  ['call', { type: 'missed_call', text: 'Missed call' }],
  ['system', { type: 'system', text: 'Asha changed her number' }],
  ['system', { type: 'e2e_notification' }],
  ['system', { type: 'request_welcome' }],
  ['unknown', { type: 'unsupported', errors: [{ code: 131051 }] }],
  ['unknown', { type: 'unknown' }],
]

/** Customers write these: none is a signal, whatever it resembles. */
const MESSAGES: readonly (readonly [kind: string, changes: object])[] = [
  ['text', { type: 'text', text: '👍' }],
  ['text', { type: 'text', text: 'reaction' }],
  ['text', { text: 'deleted' }],
  ['text', { type: 'text', text: 'hi', reaction: null }],
  ['text', { type: 'text', text: 'hi', reactions: [] }],
  ['text', { text: 'hi', reaction: {} }],
  ['text', { type: 'text', text: 'hi', reaction: { emoji: '👍' } }],
  ['text', { type: 'text', text: 'hi', edited: false }],
  ['text', { type: 'text', text: 'hi', edited: 0, deleted: 'false' }],
  ['text', { type: 'text', text: 'hi', edited_at: null, deleted_at: '' }],
  ['text', { type: 'text', text: 'hi', deleted_at: 0 }],
  ['text', { type: 'text', text: 'hi', edited: 'no' }],
  ['text', { type: 'text', text: 'hi', action: 'create', subtype: 'plain' }],
  ['text', { type: 'text', text: 'hi', updated_at: '2026-03-04T09:16:00Z' }],
  ['text', { type: 'extendedTextMessage', text: 'hi' }],
  ['text', { type: 'chat', text: 'hi' }],
  ['text', { type: 'unknown', text: 'hi' }],
  ['text', { type: 'text', text: 'I missed your call' }],
  ['image', { type: 'image', image: { url: 'https://media.test/1.jpg' } }],
  ['image', { type: 'imageMessage', image: { url: 'https://media.test/1.jpg' }, caption: 'edited' }],
  ['audio', { type: 'voice', voice: { url: 'https://media.test/1.ogg' } }],
  ['interactive', { type: 'interactive', interactive: { type: 'button_reply', id: 'delete', title: 'Delete' } }],
  ['button', { type: 'button', button: { payload: 'EDIT', text: 'Edit' } }],
  ['location', { type: 'location', location: { latitude: -6.8, longitude: 39.28 } }],
  ['location', { location: { lat: '-6.8', lng: '39.28' } }],
  ['location', { type: 'live_location', degreesLatitude: -6.8, degreesLongitude: 39.28 }],
  ['contacts', { type: 'contacts', contacts: [{ name: { formatted_name: 'Juma' } }] }],
  ['contacts', { type: 'vcard' }],
  ['order', { type: 'order' }],
  ['poll_vote', { type: 'poll_vote' }],
]

describe('the kind of a message', () => {
  it('decides that nobody wrote it, whatever else it carries [R EVT-03]', () => {
    for (const [kind, changes] of SIGNALS)
      expect({ changes, kind: read(changes).kind?.value }).toEqual({ changes, kind })
  })

  it('is no signal for what only resembles one [R EVT-03]', () => {
    for (const [kind, changes] of MESSAGES)
      expect({ changes, kind: read(changes).kind?.value }).toEqual({ changes, kind })
  })

  it('is an edit by its mark, also if the app maps the kind by a path; a function of the app decides itself [R EVT-03]', () => {
    const edit = { type: 'text', text: 'size 43', edited: true }
    expect(read(edit, { mapping: { kind: 'data.type' } }).kind?.value).toBe('edited')
    expect(read(edit, { mapping: { kind: () => 'text' } }).kind?.value).toBe('text')
  })

  it('can be a word that the app maps to a signal [R EVT-03]', () => {
    const words = { kinds: new Map([['gumba', 'reaction']]), statuses: new Map<string, string>() }
    expect(read({ type: 'gumba', text: '👍' }, { words })).toMatchObject({ reaction: { value: { emoji: '👍' } } })
  })
})

describe('the facts of a message that nobody wrote, or that has no text', () => {
  it('tell the emoji of a reaction and what it is about, or that it was removed [R EVT-03]', () => {
    for (const [changes, reaction] of [
      [
        { type: 'reaction', reaction: { message_id: 'm-0', emoji: '👍' } },
        { emoji: '👍', to: 'm-0' },
      ],
      [
        { type: 'reaction', reaction: '👍', context: { id: 'm-0' } },
        { emoji: '👍', to: 'm-0' },
      ],
      [
        { type: 'reaction', reactionEmoji: '👍', reactionMessageId: 'm-0' },
        { emoji: '👍', to: 'm-0' },
      ],
      [{ type: 'reaction', text: '👍' }, { emoji: '👍' }],
      [{ type: 'reaction', reaction: { emoji: '', message_id: 'm-0' } }, { to: 'm-0' }],
      [{ type: 'reaction' }, {}],
    ] as const)
      expect(read(changes).reaction?.value).toEqual(reaction)
    expect(read({ type: 'text', text: 'hi', reaction: { emoji: '👍' } }).reaction).toBeUndefined()
  })

  it('tell where somebody is, if both coordinates are on the earth [R EVT-03]', () => {
    const place = { latitude: -6.8, longitude: 39.28 }
    for (const location of [
      { latitude: -6.8, longitude: 39.28 },
      { lat: '-6.8', long: '39.28' },
      { degreesLatitude: -6.8, degreesLongitude: 39.28 },
      { coordinates: { lat: -6.8, lon: 39.28 } },
    ])
      expect(read({ type: 'location', location }).location?.value).toEqual(place)
    expect(
      read({ type: 'location', location: { ...place, name: 'Home', address: 'Uhuru St 1' } }).location?.value,
    ).toEqual({ ...place, name: 'Home', address: 'Uhuru St 1' })
    for (const location of [
      {},
      { latitude: -6.8 },
      { latitude: 91, longitude: 39 },
      { latitude: -6.8, longitude: 181 },
      { latitude: 'north', longitude: 'east' },
      { latitude: null, longitude: 39 },
      'Dar es Salaam',
    ])
      expect(read({ type: 'location', location }).location).toBeUndefined()
  })

  it('are found where the app says [R EVT-03]', () => {
    const mapping = { 'reaction.emoji': 'data.how', 'reaction.to': 'data.which', kind: 'data.what', location: place }
    function place({ data }: { data: { at?: object } }) {
      return data.at
    }
    const body = { what: 'reaction', how: '👍', which: 'm-0', at: { latitude: 1, longitude: 2, name: 'Home' } }
    expect(read(body, { mapping: mapping as never })).toMatchObject({
      reaction: { value: { emoji: '👍', to: 'm-0' }, how: 'mapped' },
      location: { value: { latitude: 1, longitude: 2, name: 'Home' }, how: 'mapped' },
    })
  })
})

it('a message of an unknown kind or of none is empty if nothing in it was understood [R EVT-02]', () => {
  const isEmpty = (changes: object, more?: Parameters<typeof received>[1]) =>
    received(message({ ...bare, ...changes }), more).isEmpty === true
  for (const changes of [{}, { type: 'poll_vote' }, { words: 'Habari' }, { type: 'flow', answer: 'Habari' }])
    expect(isEmpty(changes)).toBe(true)
  for (const changes of [
    { type: 'poll_vote', text: 'A' },
    { text: 'Habari' },
    { type: 'text', words: 'Habari' },
    { type: 'order' },
    { type: 'contacts' },
    { type: 'sticker' },
    { type: 'unsupported' },
    { type: 'reaction' },
    { location: { lat: 1, lng: 2 } },
  ])
    expect({ changes, isEmpty: isEmpty(changes) }).toEqual({ changes, isEmpty: false })
  const words = { kinds: new Map([['poll_vote', 'poll_vote']]), statuses: new Map<string, string>() }
  expect(isEmpty({ type: 'poll_vote' }, { words })).toBe(false)
})
