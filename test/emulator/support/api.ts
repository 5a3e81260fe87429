import type { Emulator } from '../../../src/emulator/emulator.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
}

export const CUSTOMER = '255712000101'

/** A send with the run's token. */
export function send(emulator: Emulator, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return call(emulator, 'POST', '/api/v2/messages', { headers, body: JSON.stringify(body) })
}

export function get(emulator: Emulator, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return call(emulator, 'GET', path, { headers })
}

export async function call(
  emulator: Emulator,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> } = {},
): Promise<Answer> {
  const response = await fetch(emulator.url + path, {
    method,
    headers: {
      Authorization: `Bearer ${emulator.accessToken}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: text === '' ? undefined : JSON.parse(text) }
}

/** A call of the control API with the run's control token. */
export function control(emulator: Emulator, method: string, path: string, body?: unknown): Promise<Answer> {
  return call(emulator, method, `/_emulator/${path}`, {
    headers: { Authorization: `Bearer ${emulator.controlToken}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}
