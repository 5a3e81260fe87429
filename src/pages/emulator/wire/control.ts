import { signal } from '@preact/signals'
import type { CONTROL_PREFIX } from '../../../emulator/control/request.ts'

/** The beginning of each path of the control API. Its type ensures that it equals the emulator's constant. */
export const CONTROL_PATH: `${typeof CONTROL_PREFIX}/` = '/_emulator/'

export const OUT_OF_REACH = 'The emulator does not answer. Is it still running?'
const NO_TOKEN = 'The page has no control token yet.'

export function read<T>(path: string): Promise<T> {
  return call('GET', path)
}

export function change<T = unknown>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) {
  return call<T>(method, path, body)
}

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await ask(path, {
    method,
    headers: body && { 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return (await answer.json().catch(() => ({}))) as T
}

interface Request {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
  readonly signal?: AbortSignal
}

/** Rejects if the request is refused. Without a token nothing is sent. */
export async function ask(path: string, { method = 'GET', headers, body, ...rest }: Request): Promise<Response> {
  const token = controlToken.peek()
  if (token === '') throw new Error(NO_TOKEN)
  const answer = await fetch(CONTROL_PATH + path, {
    ...rest,
    method,
    headers: { ...headers, Authorization: `Bearer ${token}` },
    body: body ?? null,
    // With a cache, a browser delays a request while another one to the same address is under way.
    cache: 'no-store',
  }).catch(() => {
    throw new Error(OUT_OF_REACH)
  })
  if (answer.ok) return answer
  // Ignore a 401 if the page has got another token meanwhile.
  if (answer.status === 401 && token === controlToken.peek()) tokenMissing.value = true
  const { message = `It answered ${answer.status}.` } = (await answer.json().catch(() => ({}))) as { message?: string }
  throw new Error(message)
}

/** The token of this run of the emulator. It arrives in the address, and stays in this tab. */
export const controlToken = signal('')

export const tokenMissing = signal(false)

const STORAGE_KEY = 'switchhook.control-token'

export function setControlToken(token: string): void {
  controlToken.value = token
  tokenMissing.value = token === ''
  try {
    sessionStorage.setItem(STORAGE_KEY, token)
  } catch {
    // Without browser storage the token lasts only as long as the page.
  }
}

export function storedToken(): string {
  try {
    return sessionStorage.getItem(STORAGE_KEY) ?? ''
  } catch {
    return ''
  }
}
