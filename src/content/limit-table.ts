import { HEADER_MEDIA, LIMITS } from '../contract/index.ts'

export interface Limit {
  readonly min?: number
  readonly max: number
}

const SHORTEN = 'shorten it, nothing is cut'

/** Where each length limit of the service holds in a send's body; `[]` stands for each item. The advice is ours. */
export const LENGTHS: readonly (readonly [path: string, limit: Limit, advice: string])[] = [
  ['text', LIMITS.text, 'send it in parts of your choice, nothing is cut'],
  ['media_caption', LIMITS.mediaCaption, 'send a text beside it'],
  ['interactive.body', LIMITS.interactiveBody, 'send a text of its own before it'],
  ['interactive.footer', LIMITS.interactiveFooter, SHORTEN],
  ['interactive.buttons[].id', LIMITS.buttonId, SHORTEN],
  ['interactive.buttons[].title', LIMITS.buttonTitle, SHORTEN],
  ['interactive.button_text', LIMITS.listButtonText, SHORTEN],
  ['interactive.sections[].title', LIMITS.sectionTitle, SHORTEN],
  ['interactive.sections[].rows[].id', LIMITS.rowId, SHORTEN],
  ['interactive.sections[].rows[].title', LIMITS.rowTitle, SHORTEN],
  ['interactive.sections[].rows[].description', LIMITS.rowDescription, SHORTEN],
  ['interactive.cta.display_text', LIMITS.linkTitle, SHORTEN],
  ['interactive.cta.url', LIMITS.linkUrl, 'use a shorter address'],
]

/** What must have something in it besides spaces. */
export const FILLED: readonly string[] = ['text', 'media_filename', 'template_name', 'template_language']

/** What the upstream platform fetches. */
export const FETCHED: readonly string[] = [
  'media_url',
  ...HEADER_MEDIA.map((medium) => `template_components[].parameters[].${medium}.link`),
]

/** The values at a path of these tables, each with the place where it stands; absent ones are left out. */
export function valuesAt(value: unknown, path: string, place = ''): { place: string; value: string }[] {
  if (path === '') return typeof value === 'string' ? [{ place, value }] : []
  const [, name = '', each, rest = ''] = /^([a-z_]+)(\[\])?\.?(.*)$/.exec(path) ?? []
  const member = (value as Record<string, unknown> | null | undefined)?.[name]
  if (member === undefined || member === null) return []
  const here = place === '' ? name : `${place}.${name}`
  if (each === undefined) return valuesAt(member, rest, here)
  return (member as readonly unknown[]).flatMap((one, at) => valuesAt(one, rest, `${here}[${at}]`))
}
