import { isRecord } from '../../base/value.ts'
import { LIMITS } from '../../service/endpoints.ts'
import { type TemplateOut } from '../../service/answers.ts'
import type { Assumptions } from '../model/assumptions.ts'
import { type HttpAnswer, type HttpRequest, type Refusal, ok, parseJson } from '../http/messages.ts'
import type { BusinessNumber } from '../model/account.ts'
import { iso } from '../model/emulated-clock.ts'
import type { Model } from '../model/model.ts'
import { type Template, submittedCode, unsendableReason } from '../model/templates.ts'
import { codelessRefusal, malformed } from './checks.ts'

export function listTemplates(model: Model, { query }: HttpRequest, number: BusinessNumber): HttpAnswer {
  const sendable = readSendable(one(query, 'sendable'))
  const invalid = (name: string, message: string) =>
    malformed([{ path: [name], message, type: 'value_error' }], model.assumptions.validation, 'query')
  const limit = readLimit(one(query, 'limit'), invalid)
  const after = readCursor(one(query, 'cursor'))
  const all = model.templates.of(number.id).newestFirst()
  const start = after === undefined ? 0 : all.findIndex((template) => template.id === after) + 1
  if (after !== undefined && start === 0) throw invalid('cursor', 'points to no template')

  const rest = all
    .slice(start)
    .map((template) => templateOut(template, model.assumptions))
    .filter((template) => sendable === undefined || template.sendable === sendable)
  const items = rest.slice(0, limit)
  const last = items.at(-1)
  const more = rest.length > items.length && last !== undefined
  return ok({
    items,
    next_cursor: more ? Buffer.from(JSON.stringify({ after: last.id })).toString('base64url') : null,
    has_more: more,
  })
}

/** A template as the API lists it. If it is not synchronised yet, it counts as sendable (TPL-05). */
export function templateOut(template: Template, assumptions: Assumptions): TemplateOut {
  const reason = template.synchronised ? unsendableReason(template, assumptions) : null
  const submitted = template.synchronised || !template.code ? undefined : submittedCode(template.code)
  return {
    id: template.id,
    name: template.name,
    language: template.language,
    category: template.category,
    status: template.status,
    sendable: reason === null,
    unsendable_reason: reason,
    components: [...(submitted ?? template.components)] as TemplateOut['components'],
    quality_score: template.qualityScore,
    approved_at: template.approvedAt === null ? null : iso(template.approvedAt),
    status_changed_at: iso(template.statusChangedAt),
  }
}

function one(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name)
  if (values.length > 1) throw codelessRefusal(`${name}: is given ${values.length} times`)
  return values[0]
}

function readSendable(value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined
  if (value === 'true') return true
  if (value === 'false') return false
  throw codelessRefusal('sendable: must be true or false')
}

/** By assumption, the error for a limit out of bounds differs from the error for a limit that is no number (TPL-03). */
function readLimit(value: string | undefined, invalid: (name: string, message: string) => Refusal): number {
  const { min, max, default: defaultLimit } = LIMITS.templatesPage
  if (value === undefined) return defaultLimit
  if (!/^-?\d+$/.test(value)) throw codelessRefusal('limit: must be a whole number')
  const limit = Number(value)
  if (limit < min || limit > max) throw invalid('limit', `must be ${min} to ${max}`)
  return limit
}

/** Reads a cursor: the id of the last template of the previous page (TPL-03). */
function readCursor(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const read = /^[\w-]+$/.test(value) ? parseJson(Buffer.from(value, 'base64url')) : undefined
  if (isRecord(read) && typeof read['after'] === 'string') return read['after']
  throw codelessRefusal('cursor: malformed')
}
