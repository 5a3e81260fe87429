import type { Attempt, Call } from '../wire/types.ts'

/** A delivery as it was sent, signature and all: the app must refuse it once it is older than 300 s. */
export function deliveryAsCurl({ request }: Attempt): string {
  return curl('POST', request.url, headerFlags(request.headers), `--data-raw ${shellQuoted(request.body)}`)
}

/** A call of the API; the token is to be found in the environment, and a withheld body in a file. */
export function callAsCurl({ method, path, request }: Call, origin: string): string {
  const { authorization: _, ...headers } = lowered(request.headers)
  const token = '-H "Authorization: Bearer $SWITCHHOOK_ACCESS_TOKEN"'
  const hasBody = method !== 'GET' && request.body !== ''
  const body = !hasBody
    ? undefined
    : request.body === null
      ? '--data @body.json'
      : `--data-raw ${shellQuoted(request.body)}`
  return curl(method, origin + path, [token, ...headerFlags(headers)], body)
}

function curl(method: string, url: string, headers: readonly string[], body: string | undefined): string {
  return [`curl -i -X ${method} ${shellQuoted(url)}`, ...headers, ...(body === undefined ? [] : [body])].join(' \\\n  ')
}

/** What curl and the emulator make by themselves. */
const OF_THE_CONNECTION = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding'])

function headerFlags(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers)
    .filter(([name]) => !OF_THE_CONNECTION.has(name.toLowerCase()))
    .map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`)
}

function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Undefined where the command line cannot do the same: media, and what goes to another number than the first. */
export function commandOf(
  customer: string,
  { text, tap, number }: { readonly text?: string; readonly tap?: string; readonly number?: string },
): string | undefined {
  if (number !== undefined || (text ?? tap) === undefined) return undefined
  const what = text === undefined ? `--tap ${shellQuoted(tap ?? '')}` : `--text ${shellQuoted(text)}`
  return `npx switchhook trigger message.received --from ${customer} ${what}`
}

/** One argument as a shell takes it, whatever is in it. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
