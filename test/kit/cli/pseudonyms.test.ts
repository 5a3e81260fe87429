import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createPseudonyms } from '../../../src/kit/cli/payload/pseudonyms.ts'
import { parseBody, readBody } from '../../../src/bot/inbox/payload/read-body.ts'

const VECTORS = new URL('../../vectors/payloads.json', import.meta.url)
const vectors = (JSON.parse(readFileSync(VECTORS, 'utf8')) as { payloads: { event: string; body: string }[] }).payloads

const PHONE = '255712345678'
const KEY = Buffer.alloc(32, 1)
const pseudonym = createPseudonyms(KEY)
const of = (text: string | number) => pseudonym({ x: text }) as { x: string | number }

describe('a pseudonym', () => {
  it('is the same wherever the same number occurs, however it is written, and nobody’s number [F-87]', () => {
    const spellings = [PHONE, `+${PHONE}`, '+255 712 345-678', `call ${PHONE}!`, `wa.me/${PHONE}`, Number(PHONE)]
    const digits = spellings.map((text) => String(of(text).x).replaceAll(/\D/g, ''))
    expect(new Set(digits).size).toBe(1)
    expect(digits[0]).toMatch(/^25500\d{7}$|^25500\d{7}\d*$/)
    expect(digits[0]).toHaveLength(PHONE.length)
    expect(of('+255 712 345-678').x).toMatch(/^\+255 00\d \d{3}-\d{3}$/)
    expect(of('255712345679').x).not.toBe(of(PHONE).x)
    expect(Object.keys(pseudonym({ [PHONE]: 1 }) as object)).toEqual([of(PHONE).x])
  })

  it('keeps the marks of a number or of a hidden id, so that it is read alike [R EVT-09]', () => {
    const { x: digits } = of(PHONE)
    const marked = [`whatsapp:+${PHONE}`, `${PHONE}@c.us`, `${PHONE}@s.whatsapp.net`]
    expect(marked.map((text) => of(text).x)).toEqual(marked.map((text) => text.replace(PHONE, String(digits))))
    expect(of('TZ.ENT.Neema1').x).toMatch(/^[A-Z]{2}\.ENT\.(?!Neema)[A-Z][a-z]{4}\d$/)
    expect(of('TZ.1349120865').x).toMatch(/^[A-Z]{2}\.(?!1349120865)\d{10}$/)
  })

  it('keeps the form of a text, letter for letter, and none of its words', () => {
    const text = 'Habari Asha, bei ni 12,500? Nipigie: ÀÉ ñ 日本 🎁'
    const { x } = of(text)
    expect(x).toMatch(/^[A-Z][a-z]{5} [A-Z][a-z]{3}, [a-z]{3} [a-z]{2} \d\d,\d{3}\? [A-Z][a-z]{6}: ÉÉ é ああ 🙂$/)
    for (const word of text.split(/[^\p{L}]+/u).filter(({ length }) => length > 2)) expect(x).not.toContain(word)
    expect(of(text).x).toBe(x)
    expect(createPseudonyms(Buffer.alloc(32, 2))({ x: text })).not.toEqual({ x })
  })

  it('leaves values that identify nobody: kinds, states, times, small numbers, flags', () => {
    const payload = {
      event: 'message.received',
      type: 'text',
      status: 'DELIVERED',
      mime_type: 'image/jpeg',
      timestamp: '1772614800',
      receivedAt: 1_772_614_800_123,
      created_at: '2026-03-04T09:00:00.000Z',
      quantity: 12,
      late: false,
      none: null,
    }
    expect(pseudonym(payload)).toEqual(payload)
    const said = { type: 'call Asha now', timestamp: PHONE, status: PHONE, date: '1990-03-04' }
    for (const [name, value] of Object.entries(pseudonym(said) as object)) expect(value).not.toBe(said[name as 'type'])
  })

  it('keeps the type of an id: a ULID, a UUID, an id of the upstream platform', () => {
    const { a, b, c, d } = pseudonym({
      a: '01JNG3C0V2K7G0ZP6T2J5M8Q4R',
      b: '9b2f6c1e-3c4d-4a5b-8c6d-7e8f9a0b1c2d',
      c: 'wamid.HBgMMjU1NzEyMzQ1Njc4',
      d: 'msg_01JNG3C0V2K7G0ZP6T2J5M8Q4R',
    }) as Record<'a' | 'b' | 'c' | 'd', string>
    expect(a).toMatch(/^0[0-9A-HJKMNP-TV-Z]{25}$/)
    expect(b).toMatch(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/)
    expect(c).toMatch(/^wamid\.[A-Z]{2}[a-z][A-Z][A-Za-z\d]{16}$/)
    expect(d).toBe(`msg_${a}`)
    expect([a, b, c]).not.toContain('01JNG3C0V2K7G0ZP6T2J5M8Q4R')
    expect(c).not.toContain('MjU1NzEyMzQ1Njc4')
  })

  it('leaves only scheme and file type of an address, and only whole degrees of a place [F-87]', () => {
    const { x } = of('https://cdn.example.org/255712345678/asha%20id.jpg?token=abc')
    expect(x).toMatch(/^https:\/\/media\.example\/255\d{9}\/[a-z]{4}%\d\d[a-z]{2}\.jpg\?[a-z]{5}=[a-z]{3}$/)
    expect(of('https://cdn.example.org/a/photo.jpg').x).toMatch(/^https:\/\/media\.example\/[a-z]\/[a-z]{5}\.jpg$/)
    expect(pseudonym({ latitude: -6.792354, longitude: 39.208328 })).toEqual({
      latitude: -6.555555,
      longitude: 39.505555,
    })
  })

  it('keeps names that are kinds, and no number with a fraction [F-87, EVT-09]', () => {
    const made = pseudonym({ type: 'Asha', status: 'Delivered', n: Number(`${PHONE}.5`) }) as Record<string, string>
    expect(made).toMatchObject({ type: expect.not.stringContaining('Asha') as string, status: 'Delivered' })
    expect(String(made['n'])).toBe(`${of(PHONE).x}.5`)
  })

  it('is read like its original: the same facts in the same places, equally sure', () => {
    const read = (json: unknown, event: string) => {
      const bytes = Buffer.from(JSON.stringify(json))
      const reading = readBody(bytes, { event, deliveryId: undefined, now: Date.UTC(2026, 2, 4) })
      if (!('views' in reading)) return reading
      return reading.views.map(({ facts, alarms }) => ({
        facts: Object.entries(facts).map(([name, fact]) => [name, fact.path, fact.sure]),
        alarms: alarms.map(({ code, fact }) => [code, fact]),
      }))
    }
    const payloads = vectors.flatMap(({ event, body }) => {
      const parsed = parseBody(Buffer.from(body))
      return 'json' in parsed ? [{ event, payload: parsed.json, body }] : []
    })
    expect(payloads.length).toBeGreaterThan(10)
    for (const { event, payload, body } of payloads)
      expect(read(pseudonym(payload, event), event), body).toEqual(read(payload, event))
  })
})
