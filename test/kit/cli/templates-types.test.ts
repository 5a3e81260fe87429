import { stripTypeScriptTypes } from 'node:module'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entriesOf, typesText } from '../../../src/kit/cli/templates.ts'
import type { TemplateRow } from '../../../src/client/client.ts'

/** A row as the service lists it. */
function row(given: Partial<TemplateRow>): TemplateRow {
  const usual = { id: 'tpl_1', name: 't', language: 'sw', category: 'UTILITY', status: 'APPROVED', sendable: true }
  return { ...usual, unsendable_reason: null, components: [{ type: 'BODY', text: 'Habari' }], ...given }
}

const typesOf = (...rows: TemplateRow[]) => typesText(entriesOf(rows))
/** What stands behind the language, for a row of these components. */
const typeOf = (...components: TemplateRow['components']) => entriesOf([row({ components })])[0]?.type

const BODY = { type: 'BODY', text: 'Habari {{1}}' }
const header = (format: string, text?: string) => ({ type: 'HEADER', format, ...(text !== undefined && { text }) })
const buttons = (...all: readonly unknown[]) => ({ type: 'BUTTONS', buttons: all })
const QUICK = { type: 'QUICK_REPLY', text: 'Stop' }
const DYNAMIC = { type: 'URL', text: 'Go', url: 'https://shop.example/{{1}}' }
const STATIC = { type: 'URL', text: 'Go', url: 'https://shop.example' }

describe('the type of a template', () => {
  it('is left out if the list lacks its name or language [C TPL-08]', () => {
    expect(entriesOf([row({ name: '' }), row({ language: '' }), row({})]).map(({ name }) => name)).toEqual(['t'])
  })

  it('counts header and body separately, each placeholder once, however it is spaced [C SEND-13]', () => {
    expect(typeOf({ type: 'BODY', text: 'Habari' })).toBe('{ body?: [] }')
    expect(typeOf({ type: 'BODY', text: '{{1}} {{ 2 }}{{3}} {{1}} {x} {{}}' })).toBe(
      '{ body: [string, string, string] }',
    )
    expect(typeOf(header('TEXT', 'Oda {{1}}'), BODY)).toBe('{ header: string | [string]; body: [string] }')
    expect(typeOf(header('TEXT', '{{1}} {{2}}'), BODY)).toBe('{ header: [string, string]; body: [string] }')
    expect(typeOf(header('TEXT', 'Oda'), BODY)).toBe('{ body: [string] }')
    expect(typeOf({ type: 'header', text: '{{1}}' }, { type: 'body', text: '' })).toBe('{ header: string | [string] }')
  })

  it('requires the medium of the header [C SEND-12]', () => {
    expect(typeOf(header('IMAGE'), BODY)).toBe('{ header: { image: string }; body: [string] }')
    expect(typeOf(header('VIDEO'), BODY)).toBe('{ header: { video: string }; body: [string] }')
    expect(typeOf(header('DOCUMENT'), BODY)).toBe(
      '{ header: { document: string; filename?: string | undefined }; body: [string] }',
    )
    expect(typeOf(header('LOCATION'), BODY), 'nothing that a send can give').toBe('{ body: [string] }')
  })

  it('has buttons at their index: dynamic addresses are required, quick replies optional [C SEND-12, C SEND-13]', () => {
    const of = (...all: readonly unknown[]) => typeOf(BODY, buttons(...all))?.replace('{ body: [string]; ', '{ ')
    expect(of(DYNAMIC)).toBe('{ buttons: [string | { url: string }] }')
    expect(of(QUICK, QUICK)).toBe(
      '{ buttons?: [({ payload: string | { id: string; title: string } } | null)?, ({ payload: string | { id: string; title: string } } | null)?] }',
    )
    expect(of(STATIC, QUICK)).toBe(
      '{ buttons?: [null?, ({ payload: string | { id: string; title: string } } | null)?] }',
    )
    expect(of(QUICK, STATIC, DYNAMIC, STATIC)).toBe(
      '{ buttons: [{ payload: string | { id: string; title: string } } | null, null, string | { url: string }] }',
    )
    expect(of(DYNAMIC, QUICK)).toBe(
      '{ buttons: [string | { url: string }, ({ payload: string | { id: string; title: string } } | null)?] }',
    )
    expect([of(STATIC, STATIC), of(), of(null, 7, { type: 'FLOW' })]).toEqual(Array(3).fill('{ body: [string] }'))
    expect(typeOf(BODY, { type: 'BUTTONS', buttons: 'none' })).toBe('{ body: [string] }')
  })

  it('depends only on the category for a one-time code, and is loose if no text is shown yet [C OTP-07]', () => {
    const unsynchronised = [{ type: 'BODY' }, buttons({ type: 'OTP', text: 'Copy' })]
    expect(entriesOf([row({ category: 'AUTHENTICATION', components: unsynchronised })])).toMatchObject([
      { of: 'OneTimeCodes', type: 'string' },
    ])
    expect(entriesOf([row({ components: unsynchronised })])).toMatchObject([
      { of: 'Templates', type: 'TemplateParameters' },
    ])
    expect([typeOf(), typeOf({ type: 'BODY', text: null })]).toEqual(['TemplateParameters', 'TemplateParameters'])
  })
})

const ODD = [
  '__proto__',
  'constructor',
  'a-b',
  "'",
  '"',
  '\\',
  '`',
  '*/',
  '//',
  '\n',
  '\u2028',
  '}',
  ': ',
  'interface',
  '${a}',
]
const text = fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: 'binary' }))
const component = fc.oneof(
  fc.record({ type: fc.constantFrom('BODY', 'HEADER'), text, format: text }),
  fc.constantFrom(BODY, header('DOCUMENT'), buttons(QUICK, DYNAMIC), buttons(text)),
)
const rows: fc.Arbitrary<TemplateRow[]> = fc.array(
  fc
    .record({
      name: text,
      language: text,
      category: fc.constantFrom('UTILITY', 'AUTHENTICATION'),
      components: fc.array(component, { maxLength: 3 }),
    })
    .map(row),
  { minLength: 1, maxLength: 6 },
)

it('the types of any templates are types and nothing else, and the same in any order of the list', () => {
  fc.assert(
    fc.property(rows, (all) => {
      const types = typesOf(...all)
      const left = stripTypeScriptTypes(types).replace(/^(\/\/.*\n)*/, '')
      expect(left.trim()).toBe(types.includes('import type') ? '' : 'export {}')
      const once = all.filter((one, at) => all.findIndex((other) => named(one) === named(other)) === at)
      expect(typesOf(...once.toReversed())).toBe(types)
    }),
    { numRuns: 100 },
  )
})

const named = ({ name, language }: TemplateRow) => JSON.stringify([name, language])
