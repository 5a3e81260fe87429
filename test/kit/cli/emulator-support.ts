import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts'
import { listenOn } from '../../bot/inbox/adapters/http.ts'
import { ASHA } from '../../support/people.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type Running, type Streams, switchhook, startSwitchhook } from './support.ts'

export const CUSTOMER = ASHA
export const SECRET = 'whsec_of-some-length-4711'

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/**
 * A receiver that keeps all requests. It answers genuine deliveries with `status`, and others with 401 unless careless.
 */
export async function openReceiver(status: (received: Received) => number = () => 200, { careless = false } = {}) {
  const received: Received[] = []
  const { url } = await listenOn((request, response) => {
    void buffer(request).then((body) => {
      const one = { headers: request.headers, body }
      received.push(one)
      response.writeHead(careless || isGenuine(one) ? status(one) : 401).end('{}')
    })
  })
  return { received, url: `${url}/webhooks/messages` }
}

/** The specification's rule: HMAC-SHA256 over the timestamp, a dot and the body; no older than 300 s. */
export function isGenuine({ headers, body }: Received): boolean {
  const timestamp = String(headers['x-service-timestamp'])
  const hex = createHmac('sha256', SECRET).update(`${timestamp}.`).update(body).digest('hex')
  return headers['x-service-signature'] === `sha256=${hex}` && Math.abs(Date.now() / 1_000 - Number(timestamp)) < 301
}

/** An emulator with a receiver and a folder for each test, and commands whose environment names the emulator. */
export function beside() {
  let receiver: Awaited<ReturnType<typeof openReceiver>>
  let emulator: Emulator
  let folder = ''
  let status: (received: Received) => number = () => 200
  beforeEach(async () => {
    status = () => 200
    folder = temporaryFolder()
    receiver = await openReceiver((received) => status(received))
    emulator = await createEmulator({ webhook: receiver.url, secret: SECRET, seed: 7 })
  })
  afterEach(() => emulator.close())
  const environment = () => ({ SWITCHHOOK_EMULATOR: emulator.url, SWITCHHOOK_CONTROL_TOKEN: emulator.controlToken })
  return {
    emulator: () => emulator,
    receiver: () => receiver,
    folder: () => folder,
    environment,
    /** Sets the answer to genuine deliveries. */
    answers: (next: number | typeof status) => {
      status = typeof next === 'number' ? () => next : next
    },
    /** Runs a command in the test's process. */
    run: (args: readonly string[], more: Record<string, string> = {}, streams: Streams = {}) =>
      switchhook(args, { ...environment(), ...more }, folder, streams),
    /** Starts a command that runs until a signal. */
    start: (args: readonly string[], more: Record<string, string> = {}): Running =>
      startSwitchhook(args, { ...environment(), ...more }, folder),
  }
}
