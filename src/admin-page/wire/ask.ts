import { signal } from '@preact/signals'
import type { Refusal } from '../../admin/api.ts'

/** The session is over: whoever sits there now sees nothing of what was shown before. */
export const isSignedOut = signal(false)

/** Asks for a view by its path below the page's own address: `api/deliveries/12`. */
export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask<T>(path, signal ? { signal } : {})
}

export function post<T>(path: string, body: unknown): Promise<T> {
  return ask<T>(path, {
    method: 'POST',
    // A form of another site cannot send this header.
    headers: { 'content-type': 'application/json', 'x-switchhook-admin': '1' },
    body: JSON.stringify(body),
  })
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const answer = await fetch(path, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    throw new Error('The bot’s process does not answer.')
  })
  const body = (await answer.json().catch(() => undefined)) as unknown
  if (answer.ok && body !== undefined) return body as T
  if (isRefusal(body) && body.error === 'unauthorized') isSignedOut.value = true
  if (isRefusal(body)) throw new Error(body.message)
  throw new Error(`The answer was ${answer.status}, from something that is not the bot.`)
}

function isRefusal(body: unknown): body is Refusal {
  return typeof body === 'object' && body !== null && 'error' in body && 'message' in body
}
