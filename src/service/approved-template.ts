import { HEADER_MEDIA, type HeaderMedium, type TemplateOut } from './contract.ts'

/** The parameters of an approved template, read from its components in the upstream platform's own format. */
export interface TemplateShape {
  /** The number of texts that the header takes as parameters, or the kind of its medium. */
  readonly header: number | HeaderMedium
  readonly body: number
  /** The buttons by position, up to the last button with a parameter. `null` is a static button. */
  readonly buttons: readonly ('url' | 'quick_reply' | null)[]
}

type Listed = Pick<TemplateOut, 'category' | 'components'>
type Fields = Readonly<Record<string, unknown>>

/** Decides by the category, because the service's list may show neither text nor button of a new template (OTP-07). */
export function isForCodes({ category }: Pick<Listed, 'category'>): boolean {
  return category === 'AUTHENTICATION'
}

/** Returns undefined if the service's list does not contain the template's text yet (TPL-05). */
export function templateShapeOf(row: Listed): TemplateShape | undefined {
  if (isForCodes(row)) return { header: 0, body: 1, buttons: [] }
  const body = componentText(row, 'body')
  if (body === undefined) return undefined
  return { header: headerOf(row), body: countPlaceholders(body), buttons: buttonsOf(row) }
}

export function componentText(row: Pick<Listed, 'components'>, part: 'header' | 'body'): string | undefined {
  const text = component(row, part)?.['text']
  return typeof text === 'string' ? text : undefined
}

function countPlaceholders(text: string): number {
  return new Set(text.match(/\{\{\s*\w+\s*\}\}/g)).size
}

function headerOf(row: Listed): TemplateShape['header'] {
  const format = lower(component(row, 'header')?.['format'])
  return HEADER_MEDIA.find((medium) => medium === format) ?? countPlaceholders(componentText(row, 'header') ?? '')
}

/** Only buttons with a dynamic address and quick replies take a parameter. Every other button is static (SEND-12). */
function buttonsOf(row: Listed): TemplateShape['buttons'] {
  const listed: unknown = component(row, 'buttons')?.['buttons']
  const buttons = (Array.isArray(listed) ? (listed as unknown[]) : []).map((button) => {
    const { type, url } = (button ?? {}) as Fields
    if (lower(type) === 'quick_reply') return 'quick_reply'
    return lower(type) === 'url' && typeof url === 'string' && countPlaceholders(url) > 0 ? 'url' : null
  })
  return buttons.slice(0, buttons.findLastIndex((button) => button !== null) + 1)
}

function component(row: Pick<Listed, 'components'>, type: string): Fields | undefined {
  return (row.components as readonly unknown[])
    .map((one) => (one ?? {}) as Fields)
    .find((one) => lower(one['type']) === type)
}

function lower(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toLowerCase() : undefined
}
