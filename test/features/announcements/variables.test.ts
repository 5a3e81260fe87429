import { describe, expect, it } from 'vitest'
import { columnsIn, filled } from '../../../src/features/announcements/variables.ts'

const text = (body: string) => JSON.stringify({ type: 'text', text: body })
const row = { name: 'Asha', percent: 20, empty: ' ', none: null, list: [1], when: true }

describe('the columns of a row', () => {
  it.each([
    ['Dear {name}', 'Dear Asha'],
    ['{name}{name}', 'AshaAsha'],
    ['{ name }', 'Asha'],
    ['{percent} %', '20 %'],
    ['{when}', 'true'],
    ['{{name}}', '{name}'],
    ['{{', '{'],
    ['a } b', 'a } b'],
    ['a { b', 'a { b'],
    ['{{{name}}}', '{Asha}'],
    ['no place', 'no place'],
  ])('make of %s the text %s', (body, expected) => {
    expect(JSON.parse(filled(text(body), row))).toEqual({ type: 'text', text: expected })
  })

  it.each(['{empty}', '{none}', '{list}', '{other}', '{}', '{toString}'])('have no value for %s', (body) => {
    expect(() => filled(text(body), row)).toThrow(/^the row has no value for \{/)
  })

  it('fill no name of a template, and fill its parameters', () => {
    const content = {
      type: 'template',
      template_name: '{name}',
      template_language: 'en',
      template_components: [{ type: 'body', parameters: [{ type: 'text', text: '{name}' }] }],
    }
    expect(JSON.parse(filled(JSON.stringify(content), row))).toEqual({
      ...content,
      template_components: [{ type: 'body', parameters: [{ type: 'text', text: 'Asha' }] }],
    })
    expect(columnsIn(JSON.stringify(content))).toEqual(['name'])
  })

  it('are read once: a value with a brace stays unchanged', () => {
    expect(JSON.parse(filled(text('{name}'), { name: '{percent}' }))).toMatchObject({ text: '{percent}' })
  })
})
