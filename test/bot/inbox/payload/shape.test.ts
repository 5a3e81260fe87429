import { describe, expect, it } from 'vitest'
import { type Shape, shapeOf } from '../../../../src/bot/inbox/payload/shape.ts'

const of = (body: object): Shape => shapeOf(body as Record<string, unknown>)
const paths = (body: object) => of(body).paths
const fingerprint = (body: object) => of(body).fingerprint

describe('the shape of a body', () => {
  it('is its paths and types, lists as their elements, without values [R EVT-07]', () => {
    const message = { from: '255712000101', text: null, media: [{ url: 'https://x', ms: 5 }, { url: null }], tags: [] }
    expect(paths({ event: 'message.received', data: message, test: true })).toEqual([
      'data.from:string',
      'data.media:array',
      'data.media[].ms:number',
      'data.media[].url:null',
      'data.media[].url:string',
      'data.media[]:object',
      'data.tags:array',
      'data.text:null',
      'data:object',
      'event:string',
      'test:boolean',
    ])
  })

  it('is the same for other values, another order of members and a longer list, and another for anything else', () => {
    const base = fingerprint({ a: 'x', list: [{ b: 1 }] })
    expect(base).toMatch(/^[a-z]{12}$/)
    expect(fingerprint({ list: [{ b: 2 }, { b: 3 }], a: '' })).toBe(base)
    const others = [
      { a: 1, list: [{ b: 1 }] },
      { a: 'x', list: [{ b: null }] },
      { a: 'x', list: [] },
      { a: 'x', list: { b: 1 } },
      { A: 'x', list: [{ b: 1 }] },
      { list: [{ b: 1 }] },
      { a: 'x', list: [{ b: 1 }], c: {} },
    ].map(fingerprint)
    expect(new Set([base, ...others]).size).toBe(1 + others.length)
  })

  it('has * for a name that may be a number, an id, an address, a person or a text [R EVT-07]', () => {
    const data = `255712000101 +255712000101 2026-03-04 asha@example.com 5d0f2f0e-7c55-4c0b-9a53-0c6b1a7f1101
      cus_NffrFeUfNV2HibXq wamid.HBgMMjU1 TZ.13491208655302741918 m5501x msg_90233 Ämne`.split(/\s+/)
    for (const name of [...data, 'Asha M.', 'Habari, bei?', '', 'k'.repeat(49), 'a.b', 'a[0]'])
      expect(paths({ [name]: { [name]: 1 } }), name).toEqual(['*.*:number', '*:object'])
    const names = `from phoneNumberId phone-number-id PHONE_NUMBER_ID MessageSid x $ref @type _id __typename wa:id
      address_line_1 phone_e164 isRead interactive_button_reply message_template_language`.split(/\s+/)
    for (const name of names) expect(paths({ [name]: 1 }), name).toEqual([`${name}:number`])
  })

  it('stays small, whatever a sender sends, and reports that it is cut [R EVT-07]', () => {
    const word = (n: number) => String(n).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')
    const wide = (n: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: n }, (_, i) => [word(i), value]))
    const deep = Array.from({ length: 150 }).reduce<unknown>((inner) => ({ abcdef: [inner] }), 1)
    const hostile = [
      wide(50_000, 1),
      wide(60, wide(60, wide(4, 1))),
      { data: deep },
      { list: Array.from({ length: 50_000 }, (_, i) => i) },
      wide(64, { ['k'.repeat(48)]: wide(64, 1) }),
    ]
    for (const body of hostile) {
      const { paths: all, truncated } = of(body)
      expect(truncated).toBe(true)
      expect(all.length).toBeLessThanOrEqual(400)
      expect(all.join('').length).toBeLessThanOrEqual(16_384)
    }
    expect(of({ data: wide(64, 1) })).toMatchObject({ truncated: false, paths: { length: 65 } })
    expect(paths(wide(65, 1))).toEqual(['*:number'])
  })
})
