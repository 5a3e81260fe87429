import { describe, expect, it } from 'vitest'
import { audio, document, image, text, video } from '../../src/service/interactive.ts'
import { wireOf } from '../../src/service/wire.ts'
import { refused } from './refused.ts'

const TO = '255712345678'
const PHOTO = 'https://cdn.example.com/photo.jpg?sig=a%2Bb'

describe('text', () => {
  it('is sent with its type, equally from a string and from text() [C SEND-02, C SEND-03]', () => {
    expect(wireOf('9 to 17', TO)).toEqual({ to: TO, type: 'text', text: '9 to 17' })
    expect(wireOf(text('9 to 17'), TO)).toEqual({ to: TO, type: 'text', text: '9 to 17' })
  })

  it('refuses half a character, which UTF-8 cannot represent, and a value that is not a string [C SEND-03]', () => {
    for (const half of ['👍'.slice(0, 1), '👍'.slice(1)])
      expect(refused(() => wireOf(half, TO))).toContain('half a character')
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

  it('refuses a field that the type does not read, because it would be lost silently [C SEND-04]', () => {
    const untyped = audio as (url: string, more: object) => unknown
    expect(refused(() => untyped(PHOTO, { caption: 'x' }))).toContain('"caption" is unknown')
    const named = image as (url: string, more: object) => unknown
    expect(refused(() => named(PHOTO, { filename: 'a.jpg' }))).toContain('the members here are caption')
  })

  it.each([
    ['http', 'http://cdn.example.com/a.jpg'],
    ['no scheme', 'cdn.example.com/a.jpg'],
    ['a space around it', ' https://cdn.example.com/a.jpg'],
    ['user info', 'https://me:pass@cdn.example.com/a.jpg'],
    ['localhost', 'https://localhost/a.jpg'],
    ['loopback in another spelling', 'https://0x7f.1/a.jpg'],
    ['IPv6-mapped private', 'https://[::ffff:10.0.0.1]/a.jpg'],
    ['10/8', 'https://10.1.2.3/a.jpg'],
    ['link-local', 'https://169.254.169.254/latest'],
  ])('refuses an address that is not public https: %s [C SEND-05]', (_, url) => {
    const message = refused(() => image(url))
    expect(message).toMatch(/^image\(\): url /)
    expect(message).not.toContain(url)
  })

  it.each(['HTTPS://CDN.example.com/a.jpg'])('accepts %s, unchanged [C SEND-05]', (url) => {
    expect(wireOf(image(url), TO)['media_url']).toBe(url)
  })
})
