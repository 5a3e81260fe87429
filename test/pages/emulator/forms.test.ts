import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { editorOf, type JsonSchema, readForm } from '../../../src/pages/emulator/wire/form-schema.ts'

const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

/** Reads a form whose fields have these texts. */
function read(schema: z.ZodType, texts: Record<string, string>, current?: object) {
  return readForm(schemaOf(schema), (name) => texts[name] ?? null, current)
}

describe('a form of a JSON Schema', () => {
  it('makes one object of the variants of an object', () => {
    const send = z.strictObject({ on: z.literal('send'), do: z.enum(['status', 'late']), status: z.int().optional() })
    const delivery = z.strictObject({ on: z.literal('delivery'), do: z.enum(['late', 'stale']) })
    const rule = z.discriminatedUnion('on', [send, delivery])
    expect(editorOf(schemaOf(rule))).toMatchObject({ kind: 'object', required: ['on', 'do'] })
    expect(read(rule, { on: 'delivery', do: 'stale', status: '' })).toEqual({ on: 'delivery', do: 'stale' })
  })

  it('reads only members that are given and differ from their current values', () => {
    const settings = z.strictObject({
      plan: z.strictObject({ api: z.boolean(), contactLimit: z.int().nullable() }).partial(),
      window: z.union([z.string(), z.number()]).nullable(),
      says: z.string(),
    })
    const current = { plan: { api: true, contactLimit: null }, window: '30m', says: 'hello' }
    const same = { 'plan.api': 'true', 'plan.contactLimit': 'none', window: '30m', says: 'hello' }
    expect(read(settings, same, current)).toEqual({})
    const { 'plan.api': _, ...others } = same
    expect(read(settings, { ...others, 'plan.contactLimit': '5' }, current)).toEqual({
      plan: { api: false, contactLimit: 5 },
    })
    expect(read(settings, { ...same, window: 'none' }, current)).toEqual({ window: null })
    expect(read(settings, { ...same, window: '1000' }, current)).toEqual({ window: 1_000 })
  })

  it('reads a list of objects as JSON, and digits of a text as text', () => {
    const account = z.strictObject({
      numbers: z.array(z.strictObject({ id: z.string(), connected: z.boolean().optional() })),
      rotate: z.union([z.literal(true), z.string()]).optional(),
    })
    const texts = { numbers: '[{"id":"12","connected":false},{"id":"34"}]', rotate: '12' }
    expect(read(account, texts)).toEqual({ numbers: [{ id: '12', connected: false }, { id: '34' }], rotate: '12' })
    expect(read(account, { rotate: 'true' })).toEqual({ rotate: true })
  })

  it('refuses text where JSON is needed', () => {
    expect(() => read(z.strictObject({ payload: z.unknown() }), { payload: '{"a":' })).toThrow('This is not JSON')
  })
})
