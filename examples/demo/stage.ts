/** The demo's emulator and app, each in its own process, and the steps of the demo. */
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { end, lineThat, type Troupe } from './troupe.ts'

export interface Shown {
  id: string
  direction: 'INBOUND' | 'OUTBOUND'
  kind: string
  text: string | null
  template?: { name: string; body: string[] }
  refused?: { status: number; code: string }
  interactive?: { buttons?: { id: string; title: string }[] }
}

interface Delivery {
  id: string
  event: string
  attempts: { status: number | null; response?: { body?: string } | null }[]
}

/** The emulator's ready line. */
interface Ready {
  url: string
  accessToken: string
  signingSecret: string
  controlToken: string
}

const HERE = import.meta.dirname
const PATIENCE_MS = 20_000

export async function openStage(troupe: Troupe) {
  const port = await freePort()
  const emulator = await startEmulator(troupe, `http://127.0.0.1:${port}/webhooks/messages`)
  const notes = join(troupe.folder, 'notes.txt')
  const app = createApp(troupe, {
    PORT: String(port),
    DEMO_NOTES: notes,
    SWITCHHOOK_BASE_URL: emulator.url,
    SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
    SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
    SWITCHHOOK_DATABASE: join(troupe.folder, 'switchhook.db'),
  })
  await app.startApp()
  const control = controlOf(emulator)
  return {
    ...app,
    ...customersOf(control),
    ...deliveriesOf(control),
    control,
    url: `http://127.0.0.1:${port}`,
    /** How often a handler has run, by the notes that it writes. */
    runs: (what: string): number => linesOf(notes).filter((line) => line.startsWith(what)).length,
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>

async function startEmulator(troupe: Troupe, webhook: string): Promise<Ready> {
  const main = resolve(HERE, '../../src/kit/cli/main.ts')
  const child = troupe.launch([main, 'emulator', '--port', '0', '--webhook', webhook, '--json'])
  return JSON.parse(await lineThat(child, () => true)) as Ready
}

function createApp(troupe: Troupe, environment: Record<string, string>) {
  let app: ChildProcess | undefined
  return {
    async startApp(): Promise<void> {
      app = troupe.launch([join(HERE, 'app.ts')], environment)
      await lineThat(app, (line) => line === 'listening')
    },
    async kill(): Promise<void> {
      if (app) await end(app, 'SIGKILL')
    },
  }
}

type Control = ReturnType<typeof controlOf>

function controlOf({ url, controlToken }: Ready) {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}/_emulator/${path}`, {
      method,
      headers: { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
}

function customersOf(control: Control) {
  return {
    thread: async (customer: string) =>
      (await control<{ items: Shown[] }>('GET', `customers/${customer}/thread`)).items,
    says: (customer: string, text: string) =>
      control<{ messageId: string; deliveryIds: string[] }>('POST', `customers/${customer}/messages`, { text }),
    taps: (customer: string, id: string) => control('POST', `customers/${customer}/messages`, { tap: id }),
  }
}

function deliveriesOf(control: Control) {
  return {
    redeliver: (id: string, how: object) =>
      control<{ status: number | null }>('POST', `deliveries/${id}/redeliver`, how),
    delivery: async (id: string): Promise<Delivery | undefined> =>
      (await control<{ items: Delivery[] }>('GET', 'deliveries')).items.find((delivery) => delivery.id === id),
  }
}

/** Waits for a condition; resolves with false if it does not hold in time. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<boolean> {
  const end = Date.now() + PATIENCE_MS
  while (Date.now() < end) {
    if (await holds()) return true
    await wait(40)
  }
  return false
}

/** A second reply would be seen by then: a handler begins as soon as its delivery is acknowledged. */
export const settled = (ms = 300) => wait(ms)

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}

function freePort(): Promise<number> {
  return new Promise((resolvePort) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolvePort(port))
    })
  })
}
