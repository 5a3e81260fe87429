import { SwitchhookError } from '../../base/errors.ts'
import { isRecord } from '../../base/value.ts'

/** The columns of a recipient's row, besides `to`. */
export type Variables = Readonly<Record<string, unknown>>

/** Members in which nothing is replaced, because they are names and not texts for the customer. */
const NAMES = new Set(['type', 'template_name', 'template_language', 'sub_type', 'index', 'id'])
/** `{name}` is replaced by a value, `{{` and `}}` by a brace. */
const PLACE = /\{\{|\}\}|\{([^{}]*)\}/g

export function columnsIn(json: string): readonly string[] {
  const found = new Set<string>()
  replaceIn(JSON.parse(json), (name) => {
    found.add(name)
    return ''
  })
  return [...found]
}

/** Puts the values of a row into a stored content. @throws SwitchhookError `content_invalid` if a value is missing. */
export function filled(json: string, row: Variables): string {
  return JSON.stringify(
    replaceIn(JSON.parse(json), (name) => {
      const value = textOf(row[name])
      if (value !== undefined) return value
      throw new SwitchhookError('content_invalid', `the row has no value for {${name}}`)
    }),
  )
}

function replaceIn(value: unknown, replace: (name: string) => string): unknown {
  if (typeof value === 'string')
    return value.replaceAll(PLACE, (found, name: string | undefined) =>
      name === undefined ? found.slice(0, 1) : replace(name.trim()),
    )
  if (Array.isArray(value)) return value.map((one) => replaceIn(one, replace))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, NAMES.has(name) ? one : replaceIn(one, replace)]),
  )
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  return value instanceof Date ? value.toISOString() : undefined
}
