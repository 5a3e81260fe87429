import { createHash } from 'node:crypto'
import type { HttpAnswer } from '../http/messages.ts'
import { contentOf, escaped, schemaHtml } from './docs-parts.ts'
import { description } from './openapi.ts'

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 1rem }
h2 { margin-top: 2.5rem } code { font-family: ui-monospace, monospace }
.method { font-weight: 700; margin-right: .5rem } .note { border: 1px solid; padding: .5rem 1rem }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0 }
ul { padding-left: 1.25rem } summary { cursor: pointer }
`

/** Nothing is loaded, run, framed or sent: the page is words alone, and works without a network. */
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
      `<tr><td><code>${escaped(it.name)}</code><td>${it.in}<td>${schemaHtml(it.schema)}<td>${escaped(it.description)}`,
  )
  const answers = Object.entries(responses as Record<string, { description: string; content: object }>).map(
    ([status, answer]) =>
      `<details><summary><code>${status}</code> ${escaped(answer.description)}</summary>${schemaHtml(contentOf(answer))}</details>`,
  )
  return [
    `<section><h2><span class="method">${method.toUpperCase()}</span><code>${escaped(path)}</code></h2>`,
    `<p>${escaped(summary)}. ${escaped(description)}</p>`,
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
    `<title>${escaped(info.title)} ${info.version} (emulator)</title><style>${STYLE}</style></head><body><main>`,
    `<h1>${escaped(info.title)}, version ${info.version}</h1><p class="note">${escaped(info.description)}</p>`,
    '<p>For machines: <a href="openapi.json">openapi.json</a>.</p>',
    ...operations,
    `<h2>Schemas</h2>${named.join('')}</main></body></html>`,
  ].join('')
}

/** GET /docs. */
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
