import { describe, expect, it } from 'vitest'
import { audio, document, image, text, video } from '../../src/service/interactive.ts'
import { encodeSend, wireOf } from '../../src/service/wire.ts'
import { refused, refusedSend } from './refused.ts'

const TO = '255712345678'
const PHOTO = 'https://cdn.example.com/photo.jpg?sig=a%2Bb'

describe('text', () => {
  it('is sent with its type, equally from a string and from text() [C SEND-02, C SEND-03]', () => {
    expect(wireOf('9 to 17', TO)).toEqual({ to: TO, type: 'text', text: '9 to 17' })
    expect(wireOf(text('9 to 17'), TO)).toEqual({ to: TO, type: 'text', text: '9 to 17' })
  })

  it('has at most 4096 characters, counted in code points and never cut [C SEND-03]', () => {
    expect(wireOf('x'.repeat(4096), TO)['text']).toHaveLength(4096)
    expect(wireOf('👍'.repeat(4096), TO)['text']).toHaveLength(8192)
    expect(refusedSend(text('x'.repeat(4097)))).toBe(
      'text: 4097 characters, at most 4096: send it in parts of your choice, nothing is cut',
    )
    expect(refusedSend('👍'.repeat(4097))).toContain('text: 4097 characters')
  })

  it.each(['', ' ', '\n\t ', '\u00a0'])('refuses the blank text %j [C SEND-03]', (blank) => {
    expect(refusedSend(blank)).toContain('must not be blank')
    expect(refusedSend(text(blank))).toContain('must not be blank')
  })

  it('refuses half a character, which UTF-8 cannot represent [C SEND-03]', () => {
    expect(refused(() => text('👍'.slice(0, 1)))).toContain('half a character')
  })

  it('reports the length of a text, not its content [C SEND-03]', () => {
    expect(refusedSend(text('the code is 4711 '.repeat(400)))).not.toContain('4711')
  })

  it('refuses a value that is not a string [C SEND-03]', () => {
    expect(refused(() => text(42 as unknown as string))).toContain('must be a string, got number')
  })
})

describe('media', () => {
  it('sends each kind with the fields that it reads [C SEND-04, C SEND-05]', () => {
    expect(wireOf(image(PHOTO, { caption: 'New' }), TO)).toEqual({
      to: TO,
      type: 'image',
      media_url: PHOTO,
      media_caption: 'New',
    })
    expect(wireOf(video(PHOTO), TO)).toEqual({ to: TO, type: 'video', media_url: PHOTO })
    expect(wireOf(audio(PHOTO), TO)).toEqual({ to: TO, type: 'audio', media_url: PHOTO })
    expect(wireOf(document(PHOTO, { caption: 'Receipt', filename: '7781.pdf' }), TO)).toEqual({
      to: TO,
      type: 'document',
      media_url: PHOTO,
      media_caption: 'Receipt',
      media_filename: '7781.pdf',
    })
  })

  it('has captions of at most 1024 characters [C SEND-05]', () => {
    encodeSend(image(PHOTO, { caption: '👍'.repeat(1024) }), TO)
    expect(refusedSend(image(PHOTO, { caption: 'x'.repeat(1025) }))).toBe(
      'media_caption: 1025 characters, at most 1024: send a separate text',
    )
  })

  it('refuses a field that the type does not read, because it would be lost silently [C SEND-04]', () => {
    const untyped = audio as (url: string, more: object) => unknown
    expect(refused(() => untyped(PHOTO, { caption: 'x' }))).toContain('"caption" is unknown')
    const named = image as (url: string, more: object) => unknown
    expect(refused(() => named(PHOTO, { filename: 'a.jpg' }))).toContain('the members here are caption')
  })

  it.each([
    ['http', 'http://cdn.example.com/a.jpg'],
    ['no scheme', 'cdn.example.com/a.jpg'],
    ['data', 'data:image/png;base64,AAAA'],
    ['a space around it', ' https://cdn.example.com/a.jpg'],
    ['one slash', 'https:/cdn.example.com/a.jpg'],
    ['user info', 'https://me:pass@cdn.example.com/a.jpg'],
    ['localhost', 'https://localhost/a.jpg'],
    ['loopback', 'https://127.0.0.1:8443/a.jpg'],
    ['loopback in another spelling', 'https://0x7f.1/a.jpg'],
    ['IPv6 loopback', 'https://[::1]/a.jpg'],
    ['IPv6-mapped private', 'https://[::ffff:10.0.0.1]/a.jpg'],
    ['unique local IPv6', 'https://[fd12:3456::1]/a.jpg'],
    ['10/8', 'https://10.1.2.3/a.jpg'],
    ['172.16/12', 'https://172.31.0.1/a.jpg'],
    ['192.168/16', 'https://192.168.1.4/a.jpg'],
    ['link-local', 'https://169.254.169.254/latest'],
    ['.local', 'https://printer.local/a.jpg'],
    ['a name without a dot', 'https://printer/a.jpg'],
    ['documentation', 'https://192.0.2.1/a.jpg'],
  ])('refuses an address that is not public https: %s [C SEND-05]', (_, url) => {
    const message = refusedSend(image(url))
    expect(message).toMatch(/^media_url: /)
    expect(message).not.toContain(url)
  })

  it.each([
    'https://172.32.0.1/a.jpg',
    'https://8.8.8.8/a.jpg',
    'HTTPS://CDN.example.com/a.jpg',
    'https://[2606::1]/a',
  ])('accepts %s, unchanged [C SEND-05]', (url) => {
    expect(wireOf(image(url), TO)['media_url']).toBe(url)
  })
})
