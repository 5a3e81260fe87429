import { signal } from '@preact/signals'
import type { CONTROL_PREFIX } from '../../emulator/control/request.ts'

export const OUT_OF_REACH = 'The emulator does not answer. Is it still running?'

/** What the emulator answered instead, in its own words. */
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

/** Reads from the control API. */
export function read<T>(path: string): Promise<T> {
  return call('GET', path)
}

/** Changes something through the control API; rejects with what the emulator answered instead. */
export function change<T = unknown>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) {
  return call<T>(method, path, body)
}

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const token = controlToken.peek()
  const response = await fetch(CONTROL + path, {
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

/** Before every path of the control API, in the emulator's own words: the compiler holds them to each other. */
export const CONTROL: `${typeof CONTROL_PREFIX}/` = '/_emulator/'

/** Of this run of the emulator: every change needs it. It comes in the address and stays in this tab. */
export const controlToken = signal('')

/** Something was refused for want of it. */
export const tokenMissing = signal(false)

const KEPT_AS = 'switchhook.control-token'

export function takeToken(token: string): void {
  controlToken.value = token
  tokenMissing.value = token === ''
  try {
    sessionStorage.setItem(KEPT_AS, token)
  } catch {
    // A browser that keeps nothing: then it lives as long as the page.
  }
}

/** The token in what somebody pasted: it alone, or the address that the terminal printed. */
export function tokenIn(pasted: string): string {
  const text = pasted.trim()
  const [, hash] = /^(?:https?:\/\/[^#]*)?#?(token=.*)$/.exec(text) ?? []
  return hash === undefined ? text : (new URLSearchParams(hash).get('token') ?? '')
}

/** The one that this tab had before. */
export function keptToken(): string {
  try {
    return sessionStorage.getItem(KEPT_AS) ?? ''
  } catch {
    return ''
  }
}
