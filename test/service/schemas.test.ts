import { describe, expect, it } from 'vitest'
import {
  codePoints,
  interactiveSchema,
  messageSchema,
  sendSchema,
  templatesPageSchema,
  templateSchema,
  WINDOW_MS,
} from 'switchhook/contract'

const TO = '255712345678'
const takes = (send: object) => sendSchema.safeParse({ to: TO, ...send }).success
const times = (count: number, letter = 'x') => letter.repeat(count)

/** Which fields a refused send is refused for. */
function refusedFor(send: object): string[] {
  const { error } = sendSchema.safeParse({ to: TO, ...send })
  return error?.issues.map((issue) => issue.path.join('.')) ?? []
}

describe('a send', () => {
  it('goes to 6 to 20 digits [C SEND-01]', () => {
    for (const to of [times(6, '1'), TO, times(20, '1')]) expect(takes({ to, text: 'hi' })).toBe(true)
    for (const to of [times(5, '1'), times(21, '1'), `+${TO}`, '255 712', '٢٥٥٧١٢٣٤', '', undefined, 255_712_345_678])
      expect(takes({ to, text: 'hi' })).toBe(false)
  })

  it('is a text unless it has another type of the closed set [C SEND-02]', () => {
    expect(sendSchema.parse({ to: TO, text: 'hi' }).type).toBe('text')
    for (const type of ['location', 'reaction', 'TEXT', '', null])
      expect(refusedFor({ type, text: 'hi' })).toEqual(['type'])
  })

  it('needs a text that is not blank, of at most 4096 characters [C SEND-03]', () => {
    expect(takes({ text: times(4096) })).toBe(true)
    expect(takes({ text: times(4096, '🔑') })).toBe(true)
    for (const text of [times(4097), '', ' \n\t', null, undefined, 5]) expect(refusedFor({ text })).toEqual(['text'])
  })

  it.each(['image', 'document', 'video', 'audio'])('of type %s needs a full https address [C SEND-05]', (type) => {
    expect(takes({ type, media_url: 'https://shop.example/a.jpg' })).toBe(true)
    const odd = ['http://shop.example/a.jpg', 'ftp://x', '', null, undefined, 'shop.example/a.jpg']
    for (const media_url of [
      ...odd,
      'https://',
      'https:// x/a.jpg',
      'https://[/a.jpg',
      'https://x.example:99999/a.jpg',
    ])
      expect(refusedFor({ type, media_url })).toContain('media_url')
  })

  it.each([
    ['image', false],
    ['document', false],
    ['video', false],
    ['audio', true],
    ['text', true],
  ])('of type %s may have a caption of 1025 characters: %s, because audio ignores it [C SEND-05]', (type, may) => {
    const send = (length: number) => ({ type, text: 'x', media_url: 'https://x.example', media_caption: times(length) })
    expect(takes(send(1024))).toBe(true)
    expect(refusedFor(send(1025))).toEqual(may ? [] : ['media_caption'])
  })

  it('accepts the components of the upstream platform, and no others [C SEND-12]', () => {
    const template = (component: unknown) => ({
      type: 'template',
      template_name: 'n',
      template_language: 'en',
      template_components: [component],
    })
    for (const component of [
      { type: 'body', parameters: [{ type: 'text', text: 'A' }] },
      { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'yes' }] },
      { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'suffix' }] },
      { type: 'header', parameters: [{ type: 'image', image: { link: 'https://x.example/a.png' } }] },
      {
        type: 'header',
        parameters: [{ type: 'document', document: { link: 'https://x.example/a.pdf', filename: 'a.pdf' } }],
      },
    ])
      expect(takes(template(component))).toBe(true)
    for (const component of [
      { type: 'footer' },
      { type: 'button', sub_type: 'flow', index: '0' },
      { type: 'button', sub_type: 'url', index: 0 },
      { type: 'body', parameters: [{ type: 'currency' }] },
      { type: 'body', parameters: [{ type: 'text', text: 123_456 }] },
      { type: 'header', parameters: [{ type: 'image', image: { link: 'http://x.example/a.png' } }] },
      { type: 'header', parameters: [{ type: 'image', video: { link: 'https://x.example/a.mp4' } }] },
    ])
      expect(takes(template(component))).toBe(false)
  })
})

describe('an interactive message', () => {
  const ok = (message: object) => interactiveSchema.safeParse(message).success
  const button = (id: string, title = 'T') => ({ id, title })
  const buttons = (over: object) => ok({ type: 'buttons', body: 'B', buttons: [button('a')], ...over })
  const row = (id: string, more: object = {}) => ({ id, title: 'T', ...more })
  const list = (over: object) => ok({ type: 'list', body: 'B', sections: [{ rows: [row('a')] }], ...over })
  const cta = (over: object) =>
    ok({ type: 'cta_url', body: 'B', cta: { display_text: 'T', url: 'https://x.example', ...over } })
  const rows = (count: number, from = 0) => Array.from({ length: count }, (_, at) => row(`r${from + at}`))

  it('has a body of 1 to 1024 characters and a footer of at most 60 [C SEND-06]', () => {
    expect([0, 1, 1024, 1025].filter((length) => buttons({ body: times(length) }))).toEqual([1, 1024])
    expect([0, 60, 61].filter((length) => buttons({ footer: times(length) }))).toEqual([0, 60])
  })

  it('has one to three buttons, with ids of 1 to 256 and titles of 1 to 20 characters [C SEND-07]', () => {
    const three = [button('a'), button('b'), button('c')]
    expect([buttons({ buttons: three }), buttons({ buttons: [...three, button('d')] })]).toEqual([true, false])
    expect([buttons({ buttons: [] }), buttons({ buttons: null })]).toEqual([false, false])
    expect([0, 1, 256, 257].filter((length) => buttons({ buttons: [button(times(length))] }))).toEqual([1, 256])
    expect([0, 1, 20, 21].filter((length) => buttons({ buttons: [button('a', times(length))] }))).toEqual([1, 20])
  })

  it('accepts null only if the specification states "or null" [C E SEND-06 SEND-12]', () => {
    expect([buttons({ footer: null }), list({ button_text: null }), buttons({ cta: null })]).toEqual(
      Array(3).fill(true),
    )
    expect([buttons({ sections: null }), list({ buttons: null })]).toEqual([false, false])
    const component = (more: object) =>
      takes({ type: 'template', template_name: 'x', template_language: 'en', template_components: [{ ...more }] })
    expect(component({ type: 'body' })).toBe(true)
    for (const absent of ['sub_type', 'index', 'parameters'])
      expect(component({ type: 'body', [absent]: null })).toBe(false)
  })

  it('has one to ten rows over all sections [C SEND-08]', () => {
    const sections = (...counts: number[]) =>
      list({ sections: counts.map((count, at) => ({ rows: rows(count, at * 20) })) })
    expect([sections(1), sections(10), sections(5, 5)]).toEqual([true, true, true])
    expect([sections(11), sections(5, 6), sections(5, 0), sections(), list({ sections: null })]).toEqual(
      Array(5).fill(false),
    )
  })

  it('obeys the lengths of button text, section titles, row ids, titles and descriptions [C SEND-08]', () => {
    const lengths: [number, number, (value: string) => boolean][] = [
      [0, 20, (value) => list({ button_text: value })],
      [0, 24, (value) => list({ sections: [{ title: value, rows: [row('a')] }] })],
      [1, 200, (value) => list({ sections: [{ rows: [row(value)] }] })],
      [1, 24, (value) => list({ sections: [{ rows: [row('a', { title: value })] }] })],
      [0, 72, (value) => list({ sections: [{ rows: [row('a', { description: value })] }] })],
    ]
    for (const [min, max, check] of lengths) {
      expect([check(times(max)), check(times(max + 1))]).toEqual([true, false])
      expect(check('')).toBe(min === 0)
    }
  })

  it('has a link of http or https, with a text of 1 to 20 and an address of up to 2000 characters [C SEND-09]', () => {
    const url = (length: number) => `https://x.example/${times(length - 18)}`
    expect([
      cta({}),
      cta({ url: 'http://x.example' }),
      cta({ url: url(2000) }),
      cta({ display_text: times(20) }),
    ]).toEqual(Array(4).fill(true))
    expect(['https://', 'http:// x', 'https://[', 'http://x:99999'].map((odd) => cta({ url: odd }))).not.toContain(true)
    expect([cta({ url: url(2001) }), cta({ url: 'tel:+255' }), cta({ url: '' }), cta({ display_text: '' })]).toEqual(
      Array(4).fill(false),
    )
    expect([cta({ display_text: times(21) }), ok({ type: 'cta_url', body: 'B' })]).toEqual([false, false])
  })

  it('refuses repeated ids, of buttons and of rows over all sections [C SEND-10]', () => {
    expect(buttons({ buttons: [button('a'), button('a')] })).toBe(false)
    expect(list({ sections: [{ rows: [row('a')] }, { rows: [row('a')] }] })).toBe(false)
  })
})

describe('an answer of the service', () => {
  const message = { id: 'm1', direction: 'OUTBOUND', message_type: 'text', created_at: '2025-11-20T08:00:00Z' }

  it('may lack any member of a message but four, or have null for it, and keeps new ones [C SEND-16 SEND-26 GEN-10]', () => {
    expect(messageSchema.parse(message)).toEqual(message)
    const others =
      'content status source wa_message_id media_url media_mime_type media_filename media_duration_ms interactive ' +
      'sent_at delivered_at read_at played_at failed_at failure_reason template_name redacted referral'
    const empty = { ...message, ...Object.fromEntries(others.split(' ').map((member) => [member, null])) }
    expect(messageSchema.parse(empty)).toEqual(empty)
    const odd = { ...message, status: 'SENT', referral: { any: 1 }, brand_new: [1] }
    expect(messageSchema.parse(odd)).toEqual(odd)
    for (const member of Object.keys(message))
      for (const value of [undefined, null])
        expect(messageSchema.safeParse({ ...message, [member]: value }).success, member).toBe(false)
  })

  it('without has_more is the last page, and keeps new members [C TPL-02 GEN-10]', () => {
    expect(templatesPageSchema.parse({ items: [], extra: 1 })).toEqual({
      items: [],
      next_cursor: null,
      has_more: false,
      extra: 1,
    })
  })

  it('states of a template whether it can be sent, in any state [C TPL-04 GEN-10]', () => {
    const template = {
      id: 't',
      name: 'n',
      language: 'en',
      category: 'UTILITY',
      status: 'SOMETHING_NEW',
      sendable: true,
    }
    expect(templateSchema.parse(template)).toMatchObject({ ...template, components: [], unsendable_reason: null })
    expect(templateSchema.safeParse({ ...template, sendable: undefined }).success).toBe(false)
  })
})

describe('the numbers of the contract', () => {
  it('lengths are counted in code points [C SEND-03]', () => {
    expect(['', 'abc', '🔑', 'é', 'e\u0301'].map(codePoints)).toEqual([0, 3, 1, 1, 2])
  })

  it('the window is 24 hours [B GEN-04]', () => {
    expect(WINDOW_MS).toBe(86_400_000)
  })
})
