import { createHash } from 'node:crypto'
import { escapeHtml } from '../../base/html.ts'
import type { HttpAnswer } from '../http/messages.ts'
import { description } from './openapi.ts'

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 1rem }
h2 { margin-top: 2.5rem } code, pre { font-family: ui-monospace, monospace }
pre { overflow: auto } .note { border: 1px solid; padding: .5rem 1rem } summary { cursor: pointer }
`

/** The page is text alone: nothing is loaded, run, framed or sent, and it works without a network. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The description as a page: each operation and each schema with its JSON. */
export function showDocs(): HttpAnswer {
  const { info, paths, components } = description()
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { summary, description: text, ...rest } = operation as { summary: string; description: string }
      const title = `<h2>${method.toUpperCase()} <code>${escapeHtml(path)}</code></h2>`
      return `<section>${title}<p>${escapeHtml(`${summary}. ${text}`)}</p>${jsonHtml(rest)}</section>`
    }),
  )
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `<section id="${name}"><h3><code>${name}</code></h3>${jsonHtml(schema)}</section>`,
  )
  const body = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(info.title)} ${info.version} (emulator)</title><style>${STYLE}</style></head><body><main>`,
    `<h1>${escapeHtml(info.title)}, version ${info.version}</h1><p class="note">${escapeHtml(info.description)}</p>`,
    '<p>For machines: <a href="openapi.json">openapi.json</a>.</p>',
    ...operations,
    `<h2>Schemas</h2>${schemas.join('')}</main></body></html>`,
  ].join('')
  return {
    status: 200,
    body,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    },
  }
}

/** JSON with each reference to a schema as a link to it. */
function jsonHtml(value: unknown): string {
  const text = escapeHtml(JSON.stringify(value, null, 2))
  return `<pre>${text.replaceAll(/#\/components\/schemas\/(\w+)/g, '<a href="#$1">$1</a>')}</pre>`
}
