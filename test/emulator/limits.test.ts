import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { CUSTOMER, send } from './support/api.ts'

const to = CUSTOMER
const media_url = 'https://media.example.test/1'

const x = (count: number) => 'x'.repeat(count)
const interactive = (it: object) => ({ to, type: 'interactive', interactive: it })
const button = (more: object) =>
  interactive({ type: 'buttons', body: 'b', buttons: [{ id: 'a', title: 'A', ...more }] })
const section = (more: object) =>
  interactive({ type: 'list', body: 'b', sections: [{ rows: [{ id: 'a', title: 'A' }], ...more }] })
const row = (more: object) => section({ rows: [{ id: 'a', title: 'A', ...more }] })
const link = (more: object) =>
  interactive({ type: 'cta_url', body: 'b', cta: { display_text: 'Go', url: 'https://x.test', ...more } })
const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `r${n}`, title: 'T' }))
const address = (length: number) => `https://x.test/${x(length - 15)}`

/** Of the specification's table of limits: what, the longest that is taken, and a send with that length. */
const LIMITS: readonly (readonly [rule: string, what: string, most: number, body: (length: number) => object])[] = [
  ['SEND-01', 'to', 20, (length) => ({ to: '1'.repeat(length), text: 'x' })],
  ['SEND-03', 'text', 4096, (length) => ({ to, text: x(length) })],
  [
    'SEND-05',
    'media_caption of an image',
    1024,
    (length) => ({ to, type: 'image', media_url, media_caption: x(length) }),
  ],
  [
    'SEND-05',
    'media_caption of a document',
    1024,
    (length) => ({ to, type: 'document', media_url, media_caption: x(length) }),
  ],
  [
    'SEND-05',
    'media_caption of a video',
    1024,
    (length) => ({ to, type: 'video', media_url, media_caption: x(length) }),
  ],
  [
    'SEND-06',
    'body',
    1024,
    (length) => interactive({ type: 'buttons', body: x(length), buttons: [{ id: 'a', title: 'A' }] }),
  ],
  [
    'SEND-06',
    'footer',
    60,
    (length) =>
      interactive({
        type: 'cta_url',
        body: 'b',
        footer: x(length),
        cta: { display_text: 'Go', url: 'https://x.test' },
      }),
  ],
  [
    'SEND-07',
    'the number of buttons',
    3,
    (length) => interactive({ type: 'buttons', body: 'b', buttons: rows(length) }),
  ],
  ['SEND-07', 'id of a button', 256, (length) => button({ id: x(length) })],
  ['SEND-07', 'title of a button', 20, (length) => button({ title: x(length) })],
  [
    'SEND-08',
    'button_text',
    20,
    (length) => interactive({ type: 'list', body: 'b', button_text: x(length), sections: [{ rows: rows(1) }] }),
  ],
  ['SEND-08', 'title of a section', 24, (length) => section({ title: x(length) })],
  ['SEND-08', 'the number of rows of a section', 10, (length) => section({ rows: rows(length) })],
  [
    'SEND-08',
    'the number of rows in total',
    10,
    (length) => interactive({ type: 'list', body: 'b', sections: rows(length).map((each) => ({ rows: [each] })) }),
  ],
  ['SEND-08', 'id of a row', 200, (length) => row({ id: x(length) })],
  ['SEND-08', 'title of a row', 24, (length) => row({ title: x(length) })],
  ['SEND-08', 'description of a row', 72, (length) => row({ description: x(length) })],
  ['SEND-09', 'display_text', 20, (length) => link({ display_text: x(length) })],
  ['SEND-09', 'url of a link', 2000, (length) => link({ url: address(length) })],
]

/** What must have one character at least. */
const NOT_EMPTY: readonly (readonly [rule: string, what: string, body: object])[] = [
  ['SEND-06', 'body', interactive({ type: 'buttons', body: '', buttons: [{ id: 'a', title: 'A' }] })],
  ['SEND-07', 'id of a button', button({ id: '' })],
  ['SEND-07', 'title of a button', button({ title: '' })],
  ['SEND-08', 'id of a row', row({ id: '' })],
  ['SEND-08', 'title of a row', row({ title: '' })],
  ['SEND-08', 'rows', section({ rows: [] })],
  ['SEND-09', 'display_text', link({ display_text: '' })],
  ['SEND-09', 'url of a link', link({ url: '' })],
]

describe('the limits of a send', () => {
  it.each(LIMITS)('E %s %s: %i is accepted, one more is 422', async (_rule, what, most, body) => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    const longest = await send(emulator, body(most))
    // A number of 20 digits never wrote: it is refused for the window, and so for no other reason.
    expect(longest.status === 200 ? 200 : longest.json.code).toBe(what === 'to' ? 'outside_messaging_window' : 200)
    expect(await send(emulator, body(most + 1))).toMatchObject({ status: 422, json: { code: 'validation_error' } })
  })

  it.each(NOT_EMPTY)('E %s %s must not be empty', async (_rule, _what, body) => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    expect(await send(emulator, body)).toMatchObject({ status: 422, json: { code: 'validation_error' } })
  })

  it('do not apply to the caption of an audio, which is ignored [E SEND-05]', async () => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    const audio = { to, type: 'audio', media_url, media_caption: x(5_000) }
    expect(await send(emulator, audio)).toMatchObject({ status: 200, json: { content: null } })
  })

  it.each(['https://', 'https:// x', 'https://[', 'https://x.test:99999'])(
    'require an address that can be parsed: not %j [E SEND-05 SEND-09]',
    async (odd) => {
      await using emulator = await createEmulator()
      await emulator.customer(to).says('Habari')
      for (const body of [{ to, type: 'image', media_url: odd }, link({ url: odd })])
        expect(await send(emulator, body)).toMatchObject({ status: 422, json: { code: 'validation_error' } })
    },
  )

  it('count characters: one with two code units is one [E SEND-03]', async () => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    expect((await send(emulator, { to, text: '\u{1f600}'.repeat(4096) })).status).toBe(200)
    expect((await send(emulator, { to, text: '\u{1f600}'.repeat(4097) })).status).toBe(422)
  })
})
