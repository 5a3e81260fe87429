import type { Comparison } from '../../backtest/compare.ts'
import { escapeHtml } from '../../base/html.ts'
import type { Finding, Part } from './findings.ts'
import { STYLE } from './report-style.ts'
import { scoreOf, slowerTimes } from './report-text.ts'

/** The ids that a finding lists: more would help nobody. */
const IDS_SHOWN = 20

/** The report as a page of its own: one file, without a script and without an address. */
export function reportPage(compared: Comparison, findings: readonly Finding[], recordedAt: string): string {
  const { played, same, changed, besides, notRepeatable } = scoreOf(compared)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Backtest: ${changed} changed</title>
<style>
${STYLE}</style>
</head>
<body>
<main>
<header>
<h1>Backtest</h1>
<p>Recorded ${escapeHtml(minuteOf(recordedAt))}, and compared with the code as it is now.</p>
</header>
<dl>
${counted('played', played)}
${counted('same', same)}
${counted('changed', changed)}
${besides > 0 ? counted('changed without a delivery', besides) : ''}
${counted('not repeatable', notRepeatable)}
</dl>
${findings.length === 0 ? '<p class="none">Nothing is answered differently.</p>' : listOf(findings)}
${slowerOnes(compared)}
${notRepeatableOnes(compared)}
</main>
</body>
</html>
`
}

/** `2026-03-04T09:00:12.000Z` as people write it. */
function minuteOf(iso: string): string {
  return iso.replace(/T(\d\d:\d\d).*Z$/, ' $1 UTC')
}

function counted(what: string, count: number): string {
  return `<div><dt>${what}</dt><dd>${count}</dd></div>`
}

function listOf(findings: readonly Finding[]): string {
  return `<section>
<h2>Differences</h2>
<ul class="findings">
${findings.map(shown).join('\n')}
</ul>
</section>`
}

function shown({ kind, route, parts, ids }: Finding): string {
  return `<li class="${kind}">
<p class="head"><strong class="kind">${kind.replace('_', ' ')}</strong> <code>${escapeHtml(route)}</code> <span class="times">${ids.length === 1 ? 'once' : `${ids.length} times`}</span></p>
${lineOf('then', 'before', parts)}${lineOf('now', 'after', parts)}
<details><summary>Where</summary>${idList(ids)}</details>
</li>`
}

/** All that one version says, with the words marked that the other one has not. */
function lineOf(label: string, version: 'before' | 'after', parts: readonly Part[]): string {
  const own = parts.filter((part) => part.in === version || part.in === 'both')
  if (own.length === 0) return ''
  const tag = version === 'before' ? 'del' : 'ins'
  const words = own.map(({ in: of, text }) =>
    of === 'both' ? escapeHtml(text) : `<${tag}>${escapeHtml(text)}</${tag}>`,
  )
  return `<p class="line"><span class="when">${label}</span><span class="words">${words.join('')}</span></p>`
}

function slowerOnes({ slower }: Comparison): string {
  if (slower.length === 0) return ''
  const rows = slower.map(
    (one) => `<li><code>${escapeHtml(one.route)}</code> <span class="times">${slowerTimes(one)}</span></li>`,
  )
  return `<section>
<h2>Slower</h2>
<ul class="slower">
${rows.join('\n')}
</ul>
</section>`
}

function notRepeatableOnes({ notRepeatable }: Comparison): string {
  if (notRepeatable.length === 0) return ''
  return `<section>
<h2>Not repeatable</h2>
<p>The same code did not answer these twice alike, so they were not compared.</p>
${idList(notRepeatable)}
</section>`
}

function idList(ids: readonly string[]): string {
  const items = ids.slice(0, IDS_SHOWN).map((id) => `<li>${escapeHtml(id)}</li>`)
  const rest = ids.length - items.length
  return `<ul class="ids">${items.join('')}${rest > 0 ? `<li>and ${rest} more</li>` : ''}</ul>`
}
