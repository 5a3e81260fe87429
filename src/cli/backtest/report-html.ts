import type { Comparison } from '../../backtest/compare.ts'
import { escapeHtml } from '../support/html.ts'
import type { Finding, Part } from './findings.ts'
import { KINDS, notRepeatableText, slowerText } from './report-text.ts'

/** More ids help nobody. */
const IDS_SHOWN = 20

/** The report as a page of its own: one file, without a script and without an address. */
export function reportPage(compared: Comparison, findings: readonly Finding[], recordedAt: string): string {
  const { deliveries, same, notRepeatable, slower, changed } = compared
  const rows = findings.map(
    ({ kind, route, parts, ids }) =>
      `<tr><td>${KINDS[kind]}</td><td>${escapeHtml(route)}</td><td class="n">${ids.length}</td>` +
      `<td>${parts.map(markedUp).join('')}${idsOf(ids)}</td></tr>`,
  )
  const more = [...slower.map(slowerText), ...(notRepeatable.length > 0 ? [notRepeatableText(notRepeatable)] : [])]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Backtest: ${changed.length} changed</title>
<style>
:root { color-scheme: light dark; --line: #8886; --then: #d1242f; --now: #1a7f37 }
@media (prefers-color-scheme: dark) { :root { --then: #ff7b72; --now: #56d364 } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em }
dl { display: flex; flex-wrap: wrap; gap: .5em 2em }
dt { font-size: .85em }
dd { font-size: 1.5em; margin: 0 }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
td, th { border-top: 1px solid var(--line); padding: .4em .6em; text-align: left; vertical-align: top }
.n { text-align: right }
td:last-child { overflow-wrap: anywhere; white-space: pre-wrap }
del { color: var(--then) }
ins { color: var(--now) }
details { font-size: .85em }
</style>
</head>
<body>
<main>
<h1>Backtest</h1>
<p>Recorded ${escapeHtml(recordedAt)}, and compared with the code as it is now.</p>
<dl>
<div><dt>played</dt><dd>${deliveries}</dd></div>
<div><dt>same</dt><dd>${same}</dd></div>
<div><dt>changed</dt><dd>${changed.length}</dd></div>
<div><dt>not repeatable</dt><dd>${notRepeatable.length}</dd></div>
</dl>
${rows.length === 0 ? '<p>Nothing is answered differently.</p>' : table(rows)}
${more.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}
</main>
</body>
</html>
`
}

function table(rows: readonly string[]): string {
  return `<div class="wide" role="region" aria-label="Differences" tabindex="0">
<table>
<thead><tr><th>What</th><th>Route</th><th class="n">Times</th><th>Then and now</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</div>`
}

function markedUp({ in: version, text }: Part): string {
  if (version === 'both') return escapeHtml(text)
  return version === 'before' ? `<del>${escapeHtml(text)}</del>` : `<ins>${escapeHtml(text)}</ins>`
}

function idsOf(ids: readonly string[]): string {
  const shown = ids.slice(0, IDS_SHOWN).map(escapeHtml).join(', ')
  return `<details><summary>deliveries</summary>${shown}${ids.length > IDS_SHOWN ? ' …' : ''}</details>`
}
