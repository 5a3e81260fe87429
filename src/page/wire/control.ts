import { signal } from '@preact/signals'
import type { CONTROL_PREFIX } from '../../emulator/control/request.ts'

/** The start of every control path. Its type is the emulator's own constant, so the two cannot differ. */
export const CONTROL_PATH: `${typeof CONTROL_PREFIX}/` = '/_emulator/'

export const OUT_OF_REACH = 'The emulator does not answer. Is it still running?'

/** Reads from the control API. */
export function read<T>(path: string): Promise<T> {
  return call('GET', path)
}

/** Changes something through the control API; rejects with the emulator's error if it refuses. */
export function change<T = unknown>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) {
  return call<T>(method, path, body)
}

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const token = controlToken.peek()
  const response = await fetch(CONTROL_PATH + path, {
    method,
    headers: {
      ...(token !== '' && { Authorization: `Bearer ${token}` }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ControlError(0, 'out_of_reach', OUT_OF_REACH)
  })
  const answer = (await response.json().catch(() => ({}))) as T & { code?: string; message?: string }
  if (response.ok) return answer
  if (response.status === 401) tokenMissing.value = true
  throw new ControlError(response.status, answer.code ?? '', answer.message ?? `It answered ${response.status}.`)
}

/** A refusal by the control API, with the emulator's own message. */
class ControlError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'ControlError'
    this.status = status
    this.code = code
  }
}

/** The token of this emulator run, which every change needs. It comes in the address and stays in this tab. */
export const controlToken = signal('')

/** True after the emulator has refused something because the token was missing or wrong. */
export const tokenMissing = signal(false)

const STORAGE_KEY = 'switchhook.control-token'

export function setControlToken(token: string): void {
  controlToken.value = token
  tokenMissing.value = token === ''
  try {
    sessionStorage.setItem(STORAGE_KEY, token)
  } catch {
    // The browser has no storage: the token lives as long as the page.
  }
}

/** Finds the token in pasted text: the token alone, or the address that the terminal printed. */
export function parseToken(pasted: string): string {
  const text = pasted.trim()
  const [, hash] = /^(?:https?:\/\/[^#]*)?#?(token=.*)$/.exec(text) ?? []
  return hash === undefined ? text : (new URLSearchParams(hash).get('token') ?? '')
}

/** The token that this tab stored earlier. */
export function storedToken(): string {
  try {
    return sessionStorage.getItem(STORAGE_KEY) ?? ''
  } catch {
    return ''
  }
}
