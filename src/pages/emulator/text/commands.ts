import type { Attempt, Call } from '../wire/wire-types.ts'

/** Repeats a delivery exactly as it was sent, including its signature. The app must refuse it after 300 s. */
export function deliveryAsCurl({ request }: Attempt): string {
  return curl('POST', request.url, headerFlags(request.headers), `--data-raw ${shellQuote(request.body)}`)
}

/** Repeats a call of the API. The token comes from the environment, and a withheld body from a file. */
export function callAsCurl({ method, path, request }: Call, origin: string): string {
  const { authorization: _, ...headers } = withLowerCaseNames(request.headers)
  const token = '-H "Authorization: Bearer $SWITCHHOOK_ACCESS_TOKEN"'
  const hasBody = method !== 'GET' && request.body !== ''
  const body = !hasBody
    ? undefined
    : request.body === null
      ? '--data @body.json'
      : `--data-raw ${shellQuote(request.body)}`
  return curl(method, origin + path, [token, ...headerFlags(headers)], body)
}

function curl(method: string, url: string, headers: readonly string[], body: string | undefined): string {
  return [`curl -i -X ${method} ${shellQuote(url)}`, ...headers, ...(body === undefined ? [] : [body])].join(' \\\n  ')
}

const CONNECTION_HEADERS = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding'])

function headerFlags(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers)
    .filter(([name]) => !CONNECTION_HEADERS.has(name.toLowerCase()))
    .map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`)
}

function withLowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
