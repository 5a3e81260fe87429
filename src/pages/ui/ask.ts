import { signal } from '@preact/signals'
import type { Refusal, RefusalCode } from '../../admin/requests.ts'

/** True when the session has ended. Then nothing that was shown stays on the screen. */
export const isSignedOut = signal(false)

/** `code`: the reason of a refusal. Undefined if nothing answered, or something other than this server. */
export class NotAnswered extends Error {
  readonly code: RefusalCode | undefined

  constructor(message: string, code?: RefusalCode) {
    super(message)
    this.code = code
  }
}

// The server requires this header in each POST. A form of another site cannot send it.
export const OWN_HEADER = { 'x-switchhook-admin': '1' }

/** `path`: relative to the page, such as `api/deliveries/12`. Returns a CSV file as a `Blob`. @throws NotAnswered */
export async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(path, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    throw new NotAnswered('The bot’s process does not answer.')
  })
  const isFile = answer.ok && answer.headers.get('content-type')?.startsWith('text/csv') === true
  const body = (await (isFile ? answer.blob() : answer.json()).catch(() => undefined)) as unknown
  if (answer.ok && body !== undefined) return body as T
  if (!isRefusal(body)) throw new NotAnswered(`The answer was ${answer.status}, and not from the bot.`)
  if (body.error === 'unauthorized') isSignedOut.value = true
  throw new NotAnswered(body.message, body.error)
}

export function posted(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json', ...OWN_HEADER }, body: JSON.stringify(body) }
}

function isRefusal(body: unknown): body is Refusal {
  return typeof body === 'object' && body !== null && 'error' in body && 'message' in body
}
