import { isObject } from '../http/body.ts'
import { namesCodeTemplate } from '../service/validation.ts'
import type { State } from '../state.ts'

/**
 * Whether a one-time code may stand in a body: in the components of a template that carries codes, or that nobody
 * knows, and in whatever cannot be read. Asked as the call comes in: templates and numbers change later.
 */
export function mayHoldCode({ account, templates }: State, body: Buffer, json: unknown): boolean {
  if (body.length === 0) return false
  if (!isObject(json)) return true
  const { type, template_name: name, template_language: language, template_components: components } = json
  if (components === undefined && type !== 'template') return false
  const known = account.numbers.map(({ id }) => templates.of(id))
  if (known.some((all) => namesCodeTemplate(json, all))) return true
  if (typeof name !== 'string' || typeof language !== 'string') return true
  return !known.some((all) => all.find(name, language) !== undefined)
}
