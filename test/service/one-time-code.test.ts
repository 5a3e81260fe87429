import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { codeIn, oneTimeCode } from '../../src/service/one-time-code.ts'
import { encodeSend, encodeWithheld, wireOf } from '../../src/service/wire.ts'
import type { OneTimeCode } from '../../src/service/content.ts'
import { refused, refusedSend } from './refused.ts'

const TO = '255712345678'
const CODE = '004711'
const code = (it: string) => oneTimeCode('login_code', 'sw', it)

describe('a one-time code', () => {
  it('is a template with one body component, whose one text parameter is the code [C OTP-01, C OTP-05]', () => {
    expect(JSON.parse(encodeSend(code(CODE), TO))).toEqual({
      to: TO,
      type: 'template',
      template_name: 'login_code',
      template_language: 'sw',
      template_components: [{ type: 'body', parameters: [{ type: 'text', text: CODE }] }],
    })
  })

  it('is a string: a number has lost its leading zeros [C OTP-03]', () => {
    expect(refused(() => code(4711 as never))).toBe(
      'oneTimeCode(): the code must be a string, got number: a number loses its leading zeros',
    )
    expect(refused(() => oneTimeCode(7 as unknown as string, 'sw', CODE))).toContain('the name must be a string')
    expect(refused(() => oneTimeCode('login_code', undefined as never, CODE))).toContain(
      'the language must be a string',
    )
    expect(refusedSend(oneTimeCode(' ', 'sw', CODE))).toContain('template_name: is required')
  })

  it('has 1 to 15 characters, counted in code points [C OTP-03]', () => {
    for (const good of ['1', 'x'.repeat(15), '𝟙'.repeat(15)]) encodeSend(code(good), TO)
    expect(refusedSend(code(''))).toBe('code: empty, at least 1 character')
    expect(refusedSend(code('x'.repeat(16)))).toBe('code: 16 characters, at most 15')
    expect(refusedSend(code('𝟙'.repeat(16)))).toBe('code: 16 characters, at most 15')
  })

  it.each([
    ['a newline', '12\n34', 'newline'],
    ['a tab', '12\t34', 'tab'],
    ['a space before it', ' 1234', 'begins or ends with a space'],
    ['a space after it', '1234 ', 'begins or ends with a space'],
    ['four spaces in a row', '12    34', 'four spaces'],
  ])('does not contain %s [C OTP-03]', (_, bad, why) => {
    expect(refusedSend(code(bad))).toContain(why)
  })

  it.each([
    ['https://a.io', 'link'],
    ['HTTP://x', 'link'],
    ['www.a', 'link'],
    ['bit.ly', 'reads as a domain'],
    ['shop.example', 'reads as a domain'],
    ['at a-b.co.tz', 'reads as a domain'],
    ['47🔑11', 'emoji'],
    ['1️⃣2', 'emoji'],
    ['❤️47', 'emoji'],
    ['🇹🇿47', 'emoji'],
  ])('contains no link, domain or emoji: %s [C OTP-04]', (bad, why) => {
    expect(refusedSend(code(bad))).toContain(why)
  })

  it.each(['004711', '12 34 56', '12   34', 'AB-12', '47.11', 'v1.2', '#4711', '*47*', '4711.', '47:11', 'Ж4711'])(
    'may be %s, because the service decides doubtful cases [C OTP-03, C OTP-04]',
    (good) => {
      expect(codeIn(code(good))).toBe(good)
      encodeSend(code(good), TO)
    },
  )
})

describe('the code of a one-time code', () => {
  const canary = '73kanari19'
  const sealed = oneTimeCode('login_code', 'sw', canary)

  it('is [code withheld], however it is printed [C OTP-06, C AUTH-07, F-83]', () => {
    const ways = [
      inspect(sealed, { depth: 9, showHidden: true, getters: true, customInspect: false }),
      inspect([sealed], { depth: 9, showHidden: true, getters: true }),
      JSON.stringify(sealed),
      `${Object.prototype.toString.call(sealed)} ${Object.entries(sealed).join()} ${Object.values(sealed).join()}`,
      JSON.stringify(structuredClone({ ...sealed, code: undefined })),
    ]
    for (const shown of ways) expect(shown).not.toContain(canary)
    expect(ways[2]).toContain('[code withheld]')
    expect(ways[1]).toContain('[code withheld]')
  })

  it('on disk is the same body with [code withheld] in it [C OTP-06, F-84]', () => {
    const [real, withheld] = [encodeSend(sealed, `+${TO}`), encodeWithheld(sealed, `+${TO}`)]
    expect(withheld).toBe(real.replace(canary, '[code withheld]'))
    expect(encodeWithheld(code('16 characters, x'), TO)).toBe(withheld)
    expect(encodeWithheld('Habari', TO)).toBe(encodeSend('Habari', TO))
  })

  it('is not repeated by a refusal [C OTP-06]', () => {
    for (const bad of [`${canary} `, `${canary}.io`, `${canary}🔑`, `${canary}${canary}`])
      expect(refusedSend(code(bad))).not.toContain(canary)
    for (const to of ['US.1349', '', '0712345678']) expect(refusedSend(sealed, to)).not.toContain(canary)
  })

  it('is missing in a copy, which cannot be sent [C OTP-06]', () => {
    for (const copy of [JSON.parse(JSON.stringify(sealed)), { ...sealed, code: canary }] as OneTimeCode[])
      expect(refused(() => wireOf(copy, TO))).toContain('a copy without the code')
  })

  it('is undefined for other contents [C OTP-06]', () => {
    for (const other of ['4711', undefined, null, 4711, { code: '4711' }]) expect(codeIn(other)).toBeUndefined()
  })
})
