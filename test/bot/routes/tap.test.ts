import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { routes, tap } from '../../../src/bot/switchhook.ts'
import { createTapSigner } from '../../../src/bot/outbox/tap-signature.ts'

/** The longest id that a list's row may have (SEND-08). */
const LONGEST_ROW_ID = 200
const CUSTOMER = { number: 'default', customer: '255712000101' }
const signer = createTapSigner(Buffer.alloc(32, 7))

/** The id on the phone. */
function signed(id: string, at = Date.now()): string {
  return (JSON.parse(signer.sign(JSON.stringify({ id }), CUSTOMER, at)) as { id: string }).id
}

describe('the id of an option', () => {
  it('never exceeds the limit of a row once it is signed, in this century or the next [B SEND-08]', () => {
    const Long = tap('a-name-of-thirty-two-characters-', z.object({ text: z.string() }))
    const fits = (length: number) => {
      try {
        return Long.option('x', { text: 'x'.repeat(length) }).id
      } catch {
        return undefined
      }
    }
    const lengths = Array.from({ length: 200 }, (_, length) => length)
    const longest = lengths.findLast((length) => fits(length) !== undefined) ?? 0
    expect(longest).toBeGreaterThan(70)
    expect(lengths.slice(0, longest).every((length) => fits(length))).toBe(true)
    for (const at of [Date.now(), Date.UTC(2199, 11, 31)])
      expect(signed(fits(longest) ?? '', at).length).toBeLessThanOrEqual(LONGEST_ROW_ID)
  })

  it('is refused if it would be too long, with its length and advice [B SEND-08]', () => {
    const Order = tap('order', z.object({ note: z.string() }))
    expect(() => Order.option('x', { note: 'é'.repeat(100) })).toThrow(
      expect.objectContaining({
        code: 'content_invalid',
        message: expect.stringMatching(
          /tap\('order'\).*would have \d+ characters, at most 200: put only an id into it/,
        ),
      }),
    )
  })

  it('contains any JSON, in the characters of an id', () => {
    const Any = tap('any', z.object({ text: z.string(), deep: z.array(z.union([z.number(), z.null()])) }))
    const params = { text: 'Zürich "7" 🙂', deep: [1, null, -0.5] }
    const id = signed(Any.option('x', params).id)
    expect(id).toMatch(/^[A-Za-z0-9_.~-]+$/)
    expect(signer.verify(id, CUSTOMER)).toMatchObject({ name: 'any', params })
  })

  it('is refused if its parameters do not fit their schema', () => {
    const Order = tap('order', z.object({ id: z.string().min(1) }))
    expect(() => Order.option('x', { id: '' })).toThrow(expect.objectContaining({ code: 'content_invalid' }))
  })

  it.each([
    ['a time', z.object({ at: z.date() }), { at: new Date(0) }],
    ['a set', z.object({ of: z.set(z.string()) }), { of: new Set(['a']) }],
    ['a big number', z.object({ n: z.bigint() }), { n: 7n }],
    ['a text that the schema changes', z.object({ id: z.string().transform((id) => `${id}!`) }), { id: 'a' }],
  ])('is refused if its parameters would come back changed: %s', (_what, schema, params) => {
    const Odd = tap('odd', schema as z.ZodType<unknown>)
    expect(() => Odd.option('x', params)).toThrow(expect.objectContaining({ code: 'content_invalid' }))
  })
})

describe('tap()', () => {
  it.each([
    ['a name with a dot', () => tap('a.b', z.object({}))],
    ['a name of 33 characters', () => tap('a'.repeat(33), z.object({}))],
    ['no name', () => tap('', z.object({}))],
    ['no schema', () => tap('a', {} as never)],
    ['a span that is none', () => tap('a', z.object({}), { expires: 'soon' as '1s' })],
    ['a span of nothing', () => tap('a', z.object({}), { expires: 0 })],
  ])('refuses %s at its call', (_what, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'options_invalid' }))
  })

  it('refuses an async schema, at the first option', () => {
    const Late = tap('late', z.object({ id: z.string().refine(async () => true) }))
    expect(() => Late.option('x', { id: '1' })).toThrow(expect.objectContaining({ code: 'options_invalid' }))
  })

  it('is accepted by tapped() like ids, and nothing that only looks like it', () => {
    const order = tap('order', z.object({}))
    expect(() => routes().tapped({ ...order }, () => {})).toThrow('expected an id, a pattern, or the result of tap()')
    expect(() => routes().tapped(order, () => {}, { stale: 'x' as never })).toThrow('tapped: stale()')
    expect(() =>
      routes()
        .tapped(order, () => {})
        .tapped(order, () => {}),
    ).toThrow('"tapped:order()"')
  })
})

describe('the signature of an option', () => {
  it('is valid only with the key of its store, for its customer, on its number', () => {
    const id = signed(tap('order', z.object({})).option('x', {}).id)
    expect(signer.verify(id, CUSTOMER)).toBeDefined()
    expect(createTapSigner(Buffer.alloc(32, 8)).verify(id, CUSTOMER)).toBeUndefined()
    expect(signer.verify(id, { ...CUSTOMER, customer: '255712000102' })).toBeUndefined()
    expect(signer.verify(id, { ...CUSTOMER, number: 'second' })).toBeUndefined()
  })

  it('contains its time, to the second', () => {
    const id = signed('~order.e30', 1_772_615_721_999)
    expect(signer.verify(id, CUSTOMER)?.issuedAt).toBe(1_772_615_721_000)
  })

  it('is added only to ids and payloads of options, and leaves every other byte of the body unchanged', () => {
    const body =
      '{"to":"255712000101","text":"~order.e30","interactive":{"body":"id: \\"~order.e30\\"","buttons":[{"id":"~order.e30","title":"~order.e30"},{"id":"plain","title":"~"}]}}'
    const sent = signer.sign(body, CUSTOMER, 0)
    expect(sent).toMatch(/"buttons":\[\{"id":"~order\.e30\.0\.[A-Za-z0-9_-]{16}","title":"~order\.e30"\}/)
    expect(sent.replace(/\.0\.[A-Za-z0-9_-]{16}/, '')).toBe(body)
    expect(signer.sign('{"text":"~"}', CUSTOMER, 0)).toBe('{"text":"~"}')
  })

  it.each([
    '',
    '~',
    '~order',
    '~order.',
    '~order.e30',
    '~order.e30.0',
    '~order.e30.0.',
    '~order.e30.0.AAAA',
    '~.e30.0.AAAAAAAAAAAAAAAA',
    `~order.e30.0.${'A'.repeat(17)}`,
    `~order.e30.0.${'A'.repeat(16)}\n`,
  ])('is not found in %j, without an error', (id) => {
    expect(signer.verify(id, CUSTOMER)).toBeUndefined()
  })
})
