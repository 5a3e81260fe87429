import { maskPhone } from '../../base/mask.ts'

/** What a body says of its kind. All else was said to somebody, or by the app. */
const SHOWN = new Set(['type', 'sub_type', 'index', 'template_name', 'template_language'])

/** A body's form without what it says: every text is told by its length alone. */
export function maskedBody(body: unknown): unknown {
  return masked(body, '')
}

function masked(value: unknown, name: string): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') {
    if (SHOWN.has(name)) return value
    return name === 'to' ? maskPhone(value) : `[${Array.from(value).length} characters]`
  }
  if (typeof value !== 'object') return '[number]'
  if (Array.isArray(value)) return value.map((one) => masked(one, ''))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one, key)]))
}
