import { memberName } from '../../base/member-name.ts'
import type { TemplateRow } from '../../client/index.ts'
import { isForCodes, type TemplateShape, templateShapeOf } from '../../content/index.ts'

/** A template in one language as the types declare it: interface, names, and parameters in TypeScript. */
export interface Entry {
  readonly of: 'Templates' | 'OneTimeCodes'
  readonly name: string
  readonly language: string
  readonly type: string
}

/** The type of unknown parameters: everything is accepted, and the service judges. */
export const LOOSE = 'TemplateParameters'
/** The type of no parameters. An empty type would accept everything. */
const NOTHING = '{ body?: [] }'
const CODE = 'string'

/** Sorts entries by interface, name and language. If a template is listed twice, the newest counts. */
export function entriesOf(rows: readonly TemplateRow[]): Entry[] {
  const entries = new Map<string, Entry>()
  // A row without a name or language can be sent by nobody (TPL-08).
  for (const row of rows.filter(({ name, language }) => name !== '' && language !== '')) {
    const entry = entryOf(row)
    if (!entries.has(keyOf(entry))) entries.set(keyOf(entry), entry)
  }
  return [...entries.values()].sort(
    (a, b) => -order(a.of, b.of) || order(a.name, b.name) || order(a.language, b.language),
  )
}

/** Identifies a template in one language, whichever interface it belongs to. */
export function keyOf({ name, language }: Pick<Entry, 'name' | 'language'>): string {
  return `${name} (${language})`
}

function entryOf(row: TemplateRow): Entry {
  const named = { name: memberName(row.name), language: memberName(row.language) }
  return isForCodes(row)
    ? { of: 'OneTimeCodes', ...named, type: CODE }
    : { of: 'Templates', ...named, type: typeOf(templateShapeOf(row)) }
}

/** Describes a template's parameters for people. */
export function entryText({ of, type }: Pick<Entry, 'of' | 'type'>): string {
  if (of === 'OneTimeCodes') return 'a one-time code'
  if (type === NOTHING) return 'no parameters'
  return type === LOOSE ? 'parameters not known yet' : type
}

function typeOf(shape: TemplateShape | undefined): string {
  if (shape === undefined) return LOOSE
  const members = [
    ...headerMember(shape),
    ...(shape.body > 0 ? [`body: ${texts(shape.body)}`] : []),
    ...buttonsMember(shape),
  ]
  return members.length > 0 ? `{ ${members.join('; ')} }` : NOTHING
}

function headerMember({ header }: TemplateShape): string[] {
  if (header === 0) return []
  if (header === 'document') return ['header: { document: string; filename?: string | undefined }']
  if (typeof header === 'string') return [`header: { ${header}: string }`]
  return [`header: ${header === 1 ? 'string | [string]' : texts(header)}`]
}

function texts(count: number): string {
  return `[${Array.from({ length: count }, () => 'string').join(', ')}]`
}

const BUTTONS = { url: 'string | { url: string }', quick_reply: '{ payload: string } | null', static: 'null' } as const

/** The type of `buttons`. A dynamic address is required; a quick reply without a payload returns its own text. */
function buttonsMember({ buttons }: TemplateShape): string[] {
  if (buttons.length === 0) return []
  const lastRequired = buttons.lastIndexOf('url')
  const types = buttons.map((button, at) => {
    const type = BUTTONS[button ?? 'static']
    if (at <= lastRequired) return type
    return button === null ? `${type}?` : `(${type})?`
  })
  return [`buttons${lastRequired < 0 ? '?' : ''}: [${types.join(', ')}]`]
}

function order(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
