import { createEmulator, type Emulator, type EmulatorOptions } from '../../../src/emulator/emulator.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
}

export const CUSTOMER = '255712000101'

/** An emulator in which the customer has just written. */
export async function openEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await createEmulator(options)
  await emulator.customer(CUSTOMER).says('Habari')
  return emulator
}

/** How many messages of the business are on the customer's phone. */
export async function arrived(emulator: Emulator): Promise<number> {
  const thread = await emulator.customer(CUSTOMER).thread()
  return thread.filter((item) => item.direction === 'OUTBOUND' && item.refused === undefined).length
}

/** A send of a one-time code by the template `code`. */
export const codeSend = (text: string) => ({
  to: CUSTOMER,
  type: 'template',
  template_name: 'code',
  template_language: 'sw',
  template_components: [{ type: 'body', parameters: [{ type: 'text', text }] }],
})

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
