import { escapeHtml } from '../../base/html.ts'
import type { CustomerRecord } from './customer-record.ts'

/** A customer's record as a page of its own, to be read by the customer. */
export function customerPage(record: CustomerRecord): string {
  const { customer, exportedAt, received, sent, unread, ...kept } = record
  const messages = [
    ...received.map(({ receivedAt, event, items, body }) => ({
      at: receivedAt,
      what: `received: ${event ?? 'unknown'}`,
      state: items.map(({ state }) => state).join(', '),
      said: items.length > 0 ? items.map(({ facts }) => facts) : body,
    })),
    ...sent.map(({ createdAt, state, via, body, fallback, statuses }) => ({
      at: createdAt,
      what: 'sent',
      state: [state, ...statuses.map(({ status, at }) => `${status} ${at ?? ''}`)].join(', '),
      said: via === 'template' ? (fallback ?? body) : body,
    })),
  ].sort((a, b) => ((a.at ?? '') < (b.at ?? '') ? -1 : 1))
  const rows = messages.map(
    ({ at, what, state, said }) =>
      `<tr><td>${escapeHtml(at ?? '')}</td><td>${escapeHtml(what)}</td><td>${escapeHtml(state)}</td><td>${json(said)}</td></tr>`,
  )
  const sections = Object.entries(kept)
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `<h2>${escapeHtml(capital(name))}</h2>\n${json(values)}`)
  const left =
    unread > 0
      ? `<p>${unread} more, which nobody has handled, may be of this customer: they are kept unread.</p>\n`
      : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Kept of ${escapeHtml(customer)}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em }
table { border-collapse: collapse; width: 100% }
td, th { border-top: 1px solid #ccc; padding: .4em .6em; text-align: left; vertical-align: top }
pre { margin: 0; white-space: pre-wrap; word-break: break-word }
</style>
</head>
<body>
<h1>What is kept of ${escapeHtml(customer)}</h1>
<p>As of ${escapeHtml(exportedAt ?? '')}. Times are UTC.</p>
${left}<h2>Messages</h2>
<table>
<tr><th>Time</th><th>What</th><th>State</th><th>Content</th></tr>
${rows.join('\n')}
</table>
${sections.join('\n')}
</body>
</html>
`
}

function json(value: unknown): string {
  return `<pre>${escapeHtml(JSON.stringify(value, undefined, 2) ?? '')}</pre>`
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
