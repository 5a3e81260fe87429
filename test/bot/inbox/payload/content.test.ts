import { describe, expect, it } from 'vitest'
import { message, received } from './reading.ts'

const bare = { content: undefined, message_type: undefined }
const tapped = (changes: object) => received(message({ ...bare, ...changes })).facts.tapped?.value

describe('a text', () => {
  it('is found wherever services put it [R EVT-02]', () => {
    for (const members of [
      { text: 'Habari' },
      { text: { body: 'Habari' } },
      { content: 'Habari' },
      { content: { text: 'Habari' } },
      { body: 'Habari' },
      { message: 'Habari' },
      { message: { text: 'Habari' } },
      { message_body: 'Habari' },
      { payload: { text: 'Habari' } },
    ])
      expect(received(message({ ...bare, type: 'text', ...members })).facts.text?.value, JSON.stringify(members)).toBe(
        'Habari',
      )
  })

  it('is exactly the customer’s, and never a caption, a tapped title or blank', () => {
    expect(received(message({ content: '  Habari \n' })).facts.text?.value).toBe('  Habari \n')
    for (const members of [
      { caption: 'Hii' },
      { image: { url: 'https://a.test/1', caption: 'Hii' } },
      { button: { payload: 'YES', text: 'Yes' } },
      { interactive: { button_reply: { id: 'a', title: 'A' } } },
      { content: 'A', interactive: { button_reply: { id: 'a', title: 'A' } } },
      { content: ' \n ' },
    ])
      expect(received(message({ ...bare, ...members })).facts.text, JSON.stringify(members)).toBeUndefined()
  })

  it('is the mapped value even if it repeats a tapped title, and a text typed beside a tap', () => {
    const tap = { interactive: { button_reply: { id: 'a', title: 'A' } } }
    const mapping = { text: 'data.content' }
    expect(received(message({ ...bare, ...tap, content: 'A' }), { mapping }).facts.text?.value).toBe('A')
    expect(received(message({ ...bare, ...tap, content: 'B' })).facts.text?.value).toBe('B')
  })
})

describe('content that a message’s kind requires', () => {
  const codes = (changes: object) =>
    received(message({ ...bare, ...changes })).alarms.map(({ code, fact }) => [code, fact])

  it('is reported as missing, because no route would get such a message [R EVT-02]', () => {
    expect(codes({ contents: [{ type: 'text', text: 'Habari' }] })).toEqual([
      ['fact_missing', 'kind'],
      ['content_missing', 'kind'],
    ])
    expect(codes({ type: 'text', contents: ['Habari'] })).toEqual([['fact_missing', 'text']])
    expect(codes({ type: 'image', image: { id: '2754859441498128' } })).toEqual([['fact_missing', 'media']])
    expect(codes({ type: 'interactive', interactive: { nfm_reply: { name: 'flow' } } })).toEqual([
      ['fact_missing', 'tapped'],
    ])
    expect(codes({ type: 'button', button: { text: 'Yes' } })).toEqual([['fact_missing', 'tapped']])
    expect(codes({ type: 'location' })).toEqual([['fact_missing', 'location']])
    for (const type of ['contacts', 'reaction', 'order']) expect(codes({ type })).toEqual([])
  })
})

describe('a quoted message', () => {
  it('is not a tap, even under `reply`: its id is a message’s [R EVT-03]', () => {
    const reply = { id: 'msg_90233', text: 'How can we help?' }
    for (const members of [
      { type: 'text', text: 'yes please', reply },
      { type: 'text', text: 'yes please', reply: { id: 'msg_90233' } },
      { type: 'image', media_url: 'https://media.example.test/1.jpg', reply },
      { type: 'text', text: 'yes', context: { id: 'wamid.A', interactive: { button_reply: { id: 'a', title: 'A' } } } },
      { type: 'text', text: 'yes', quoted: { interactive: { type: 'buttons', buttons: [{ id: 'a', title: 'A' }] } } },
    ]) {
      expect(tapped(members), JSON.stringify(members)).toBeUndefined()
      expect(received(message({ ...bare, ...members })).alarms).toEqual([])
    }
  })

  it('is distinguished from a tap by its title, which the text repeats', () => {
    const reply = { id: 'branch:arusha', title: 'Arusha' }
    expect(tapped({ type: 'text', text: 'Arusha', reply })).toEqual(reply)
    expect(tapped({ type: 'reply', reply })).toEqual(reply)
    expect(tapped({ reply })).toEqual(reply)
  })
})

describe('a tap', () => {
  it('is read from an option object, with its title [R EVT-03]', () => {
    const option = { id: 'size:42', title: 'Size 42' }
    for (const members of [
      { interactive: { type: 'button_reply', button_reply: option } },
      { interactive: { list_reply: option } },
      { interactive: { ...option, type: 'list_reply' } },
      { buttonReply: option },
      { list_reply: { id: 'size:42', text: 'Size 42' } },
      { selection: option },
      { option_id: 'size:42', option_title: 'Size 42' },
      { selectedButtonId: 'size:42', button_text: 'Size 42' },
    ]) {
      expect(tapped(members), JSON.stringify(members)).toEqual(option)
      expect(received(message({ ...bare, ...members })).facts.kind).toMatchObject({
        value: 'interactive',
        how: 'inferred',
      })
    }
  })

  it('is read from a quick reply’s payload [R EVT-03]', () => {
    for (const members of [
      { button: { payload: 'CONFIRM:1', text: 'Confirm' } },
      { quick_reply: { payload: 'CONFIRM:1', title: 'Confirm' } },
      { button_payload: 'CONFIRM:1', button_text: 'Confirm' },
      { postback: { payload: 'CONFIRM:1', title: 'Confirm' } },
    ]) {
      expect(tapped(members), JSON.stringify(members)).toEqual({ id: 'CONFIRM:1', title: 'Confirm' })
      expect(received(message({ ...bare, ...members })).facts.kind).toMatchObject({ value: 'button', how: 'inferred' })
    }
    expect(tapped({ payload: 'CONFIRM:1' })).toEqual({ id: 'CONFIRM:1', title: undefined })
  })

  it('is never the content of an outbound message [R EVT-03]', () => {
    const buttons = [{ id: 'a', title: 'A' }]
    for (const interactive of [
      { type: 'button', body: 'Choose', buttons },
      { type: 'button_reply', id: 'a', title: 'A', buttons },
      { type: 'list', sections: [{ rows: [{ id: 'a', title: 'A' }] }], list_reply: { id: 'a' }, payload: 'a' },
      { type: 'button', id: 'drawing-7' },
    ]) {
      expect(tapped({ interactive }), JSON.stringify(interactive)).toBeUndefined()
      expect(tapped({ context: { interactive } })).toBeUndefined()
    }
    expect(tapped({ interactive: { type: 'button_reply', id: 'a', title: 'A', buttons: [] } })?.id).toBe('a')
  })
})

describe('a kind', () => {
  it('is in lower case, with one name for each [R EVT-02]', () => {
    for (const [said, kind] of [
      ['TEXT', 'text'],
      ['voice', 'audio'],
      ['ptt', 'audio'],
      ['file', 'document'],
      ['chat', 'text'],
      ['conversation', 'text'],
    ])
      expect(received(message({ message_type: said })).facts.kind).toMatchObject({ value: kind, how: 'guessed' })
  })

  it('that is unknown is kept and raises unknown_kind', () => {
    const view = received(message({ message_type: 'poll_vote' }))
    expect(view.facts.kind).toMatchObject({ value: 'poll_vote', sure: true })
    expect(view.alarms).toEqual([{ code: 'unknown_kind', fact: 'kind', path: 'data.message_type', word: 'poll_vote' }])
  })
})

describe('media', () => {
  const url = 'https://media.example.test/1'
  const media = (changes: object) => received(message({ ...bare, ...changes }))

  it('are read flat and from an object [R EVT-02]', () => {
    const whole = { mime_type: 'image/jpeg', filename: 'a.jpg', caption: 'Hii' }
    const want = { kind: 'image', url, mime: 'image/jpeg', filename: 'a.jpg', caption: 'Hii' }
    for (const members of [
      { image: { link: url, ...whole } },
      { media: { url, ...whole } },
      { attachments: [{ media_url: url, ...whole }] },
      { media_url: url, media_mime_type: 'image/jpeg', media_filename: 'a.jpg', media_caption: 'Hii' },
    ]) {
      expect(media(members).facts.media?.value, JSON.stringify(members)).toEqual(want)
      expect(media(members).facts.kind).toMatchObject({ value: 'image', how: 'inferred' })
    }
  })

  it('have the kind that the message, the member or the media type names', () => {
    expect(media({ message_type: 'sticker', media_url: url }).facts.media?.value.kind).toBe('sticker')
    expect(media({ voice: { url } }).facts.media?.value.kind).toBe('audio')
    expect(media({ media_url: url, mime_type: 'video/mp4' }).facts.media?.value.kind).toBe('video')
    expect(media({ media_url: url, mime_type: 'application/pdf' }).facts.media?.value.kind).toBe('document')
  })

  it('need a web address', () => {
    for (const bad of ['javascript:alert(1)', 'file:///etc/passwd', 'ftp://a.test/1', '/local/1.jpg', 'https://', 7])
      expect(media({ media_url: bad }).facts.media, String(bad)).toBeUndefined()
  })

  it('have a duration only if its unit is known [R EVT-02]', () => {
    const audio = { message_type: 'audio', media_url: url }
    expect(media({ ...audio, media_duration_ms: 7400 }).facts.media?.value.durationMs).toBe(7400)
    expect(media({ ...audio, duration_seconds: 7.4 }).facts.media?.value.durationMs).toBe(7400)
    expect(media({ ...audio, voice: { seconds: '7' } }).facts.media?.value.durationMs).toBe(7000)
    expect(media({ ...audio, duration: 7 }).facts.media?.value.durationMs).toBeUndefined()
  })
})
