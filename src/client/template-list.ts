import { optionsInvalid } from '../base/errors.ts'
import { parseJson } from '../base/value.ts'
import { ENDPOINTS, LIMITS } from '../service/endpoints.ts'
import { readTemplatesPage, type TemplateOut, type TemplatesPage } from '../service/answers.ts'
import { noAnswerError } from './api-errors.ts'
import { type Call, exchange } from './transport.ts'
import { headerValue } from './key-from.ts'
import type { Settings } from './client-options.ts'
import { refusalOf } from './refusal.ts'
import { withRetries } from './retries.ts'

/**
 * One template in one language. Branch on `sendable`, not on `status` (TPL-04). A missing text is empty, and a row
 * without a name, a language or `sendable` is not sendable (TPL-08).
 */
export type TemplateRow = TemplateOut

export interface ReadOptions {
  phoneNumberId?: string | undefined
  signal?: AbortSignal | undefined
}

export interface ListOptions extends ReadOptions {
  /** `true`: only templates that can be sent now. `false`: only the others. Default: all. */
  sendable?: boolean | undefined
  /** `next_cursor` of the previous page. Opaque. */
  cursor?: string | undefined
  /** Templates on a page, 1 to 100. The service's default is 25. */
  limit?: number | undefined
}

export type IterateOptions = Omit<ListOptions, 'cursor'>

/** One page, newest first (TPL-01), with the service's unknown members. */
export type Page = TemplatesPage

export async function listTemplates(settings: Settings, options: ListOptions = {}): Promise<Page> {
  const call = callOf(settings, options)
  const { value } = await withRetries(settings, { safe: true, signal: call.signal }, async (attempt) => {
    const answer = await exchange(settings, call, attempt)
    if (answer.status < 200 || answer.status >= 300) throw refusalOf(answer)
    const json = answer.broken === undefined ? parseJson(answer.text) : undefined
    const page = readTemplatesPage(json)
    if (page) return page
    throw unusable(call, json === undefined ? 'a body that cannot be read' : 'no page of templates', {
      retry: json === undefined && answer.broken !== 'aborted' ? 'backoff' : 'no',
      status: answer.status,
    })
  })
  return value
}

/** Reads pages until `has_more` is false (TPL-02). Throws at a repeated cursor, with which that would never end. */
export async function* iterateTemplates(
  settings: Settings,
  options: IterateOptions = {},
): AsyncGenerator<TemplateRow, void, undefined> {
  const seen = new Set<string>()
  for (let cursor: string | undefined; ; ) {
    const page = await listTemplates(settings, { ...options, cursor })
    yield* page.items
    if (!page.has_more) return
    if (!page.next_cursor) throw badPage(settings, options, 'has_more without a next_cursor')
    if (seen.has(page.next_cursor)) throw badPage(settings, options, 'a repeated next_cursor, so it would never end')
    seen.add((cursor = page.next_cursor))
  }
}

export async function findTemplate(
  settings: Settings,
  { name, language, ...read }: { name: string; language: string } & ReadOptions,
): Promise<TemplateRow | undefined> {
  for await (const row of iterateTemplates(settings, read))
    if (row.name === name && row.language === language) return row
  return undefined
}

function callOf(settings: Settings, { sendable, cursor, limit, phoneNumberId, signal }: ListOptions): Call {
  const { min, max } = LIMITS.templatesPage
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < min || limit > max))
    throw optionsInvalid(`limit: expected a whole number from ${min} to ${max}, got ${limit}`)
  const query = new URLSearchParams()
  if (sendable !== undefined) query.set('sendable', String(sendable))
  if (cursor !== undefined) query.set('cursor', cursor)
  if (limit !== undefined) query.set('limit', String(limit))
  return {
    ...ENDPOINTS.templates,
    query: query.toString(),
    phoneNumberId: phoneNumberId === undefined ? settings.phoneNumberId : headerValue('phoneNumberId', phoneNumberId),
    signal,
  }
}

function badPage(settings: Settings, options: ListOptions, what: string) {
  return unusable(callOf(settings, options), what, { retry: 'no', status: 200 })
}

function unusable(call: Call, what: string, how: { retry: 'no' | 'backoff'; status: number }) {
  return noAnswerError(call, {
    reason: 'unreadable',
    notSent: true,
    what: `answered ${how.status} with ${what}`,
    ...how,
  })
}
