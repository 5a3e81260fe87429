import { createHash } from 'node:crypto'
import { escapeHtml } from '../../base/html.ts'
import type { HttpAnswer } from '../http/messages.ts'
import { description } from './openapi.ts'

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 1rem }
h2 { margin-top: 2.5rem } code { font-family: ui-monospace, monospace }
.method { font-weight: 700; margin-right: .5rem } .note { border: 1px solid; padding: .5rem 1rem }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0 }
ul { padding-left: 1.25rem } summary { cursor: pointer }
`

/** The page is text alone: nothing is loaded, run, framed or sent, and it works without a network. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface Operation {
  readonly summary: string
  readonly description: string
  readonly parameters: readonly { name: string; in: string; description: string; schema: object }[]
  readonly requestBody?: { readonly content: object }
  readonly responses: object
}

function operationHtml(path: string, method: string, operation: Operation): string {
  const { summary, description, parameters, requestBody, responses } = operation
  const rows = parameters.map(
    (it) =>
      `<tr><td><code>${escapeHtml(it.name)}</code><td>${it.in}<td>${schemaHtml(it.schema)}<td>${escapeHtml(it.description)}`,
  )
  const answers = Object.entries(responses as Record<string, { description: string; content: object }>).map(
    ([status, answer]) =>
      `<details><summary><code>${status}</code> ${escapeHtml(answer.description)}</summary>${schemaHtml(contentOf(answer))}</details>`,
  )
  return [
    `<section><h2><span class="method">${method.toUpperCase()}</span><code>${escapeHtml(path)}</code></h2>`,
    `<p>${escapeHtml(summary)}. ${escapeHtml(description)}</p>`,
    `<h3>Parameters</h3><table><tr><th>Name<th>In<th>Type<th>Meaning${rows.join('')}</table>`,
    requestBody ? `<h3>Body</h3>${schemaHtml(contentOf(requestBody))}` : '',
    `<h3>Answers</h3>${answers.join('')}</section>`,
  ].join('')
}

function page(): string {
  const { info, paths, components } = description()
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationHtml(path, method, operation as Operation)),
  )
  const named = Object.entries(components.schemas).map(
    ([name, schema]) => `<section id="${name}"><h3><code>${name}</code></h3>${schemaHtml(schema)}</section>`,
  )
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(info.title)} ${info.version} (emulator)</title><style>${STYLE}</style></head><body><main>`,
    `<h1>${escapeHtml(info.title)}, version ${info.version}</h1><p class="note">${escapeHtml(info.description)}</p>`,
    '<p>For machines: <a href="openapi.json">openapi.json</a>.</p>',
    ...operations,
    `<h2>Schemas</h2>${named.join('')}</main></body></html>`,
  ].join('')
}

export function showDocs(): HttpAnswer {
  return {
    status: 200,
    body: page(),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    },
  }
}

/** The members of a JSON Schema that are shown, or compared with those of a live description. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly nullable?: boolean
}

function contentOf(part: { readonly content?: object }): object {
  const content = part.content as Record<string, { schema: object }> | undefined
  return content?.['application/json']?.schema ?? {}
}

function schemaHtml(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = escapeHtml(schema.$ref.split('/').at(-1) ?? '')
    return `<a href="#${name}"><code>${name}</code></a>`
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map(schemaHtml).join(' or ')
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => memberHtml(name, member, schema))
  return [
    summarize(schema),
    schema.description === undefined ? '' : ` ${escapeHtml(schema.description)}`,
    schema.items ? ` of ${schemaHtml(schema.items)}` : '',
    members.length > 0 ? `<ul>${members.join('')}</ul>` : '',
  ].join('')
}

function memberHtml(name: string, member: Schema, { required }: Schema): string {
  const must = required?.includes(name) ? ' <strong>required</strong>' : ''
  return `<li><code>${escapeHtml(name)}</code>${must}: ${schemaHtml(member)}</li>`
}

function summarize(schema: Schema): string {
  const type = schema.type === undefined ? '' : [schema.type].flat().join(' or ')
  const size = [
    bounds('characters', schema.minLength, schema.maxLength),
    bounds('items', schema.minItems, schema.maxItems),
  ]
  const parts = [
    schema.const === undefined ? type : JSON.stringify(schema.const),
    schema.enum?.map((value) => JSON.stringify(value)).join(', '),
    schema.format,
    ...size,
    bounds('', schema.minimum, schema.maximum),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ]
  return escapeHtml(parts.filter((part) => part !== undefined && part !== '').join(', '))
}

function bounds(unit: string, min: number | undefined, max: number | undefined): string {
  if (min === undefined && max === undefined) return ''
  const range = min === undefined ? `at most ${max}` : max === undefined ? `at least ${min}` : `${min} to ${max}`
  return `${range} ${unit}`.trim()
}
