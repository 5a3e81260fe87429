/** The stage: emulator and app as processes of their own, and what the play does with them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'

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

const HERE = import.meta.dirname
const PATIENCE_MS = 20_000

export async function openStage() {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-demo-'))
  const notes = join(folder, 'notes.txt')
  const port = await freePort()
  const webhook = `http://127.0.0.1:${port}/webhooks/messages`
  const emulatorProcess = launch([
    resolve(HERE, '../../src/cli/main.ts'),
    'emulator',
    '--port',
    '0',
    '--webhook',
    webhook,
    '--json',
  ])
  const emulator = JSON.parse(await firstLine(emulatorProcess)) as {
    url: string
    accessToken: string
    signingSecret: string
    controlToken: string
  }
  const environment = {
    PORT: String(port),
    DEMO_NOTES: notes,
    SWITCHHOOK_BASE_URL: emulator.url,
    SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
    SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
    SWITCHHOOK_DATABASE: join(folder, 'switchhook.db'),
  }
  let app: ChildProcess

  async function startApp(): Promise<void> {
    app = launch([join(HERE, 'app.ts')], environment)
    await lineThat(app, (line) => line === 'listening')
  }

  async function control<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${emulator.url}/_emulator/${path}`, {
      method,
      headers: { authorization: `Bearer ${emulator.controlToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

  const thread = async (customer: string): Promise<Shown[]> =>
    (await control<{ items: Shown[] }>('GET', `customers/${customer}/thread`)).items

  await startApp()
  return {
    startApp,
    control,
    thread,
    environment,
    url: `http://127.0.0.1:${port}`,
    says: (customer: string, text: string) =>
      control<{ messageId: string; deliveryIds: string[] }>('POST', `customers/${customer}/messages`, { text }),
    taps: (customer: string, id: string) => control('POST', `customers/${customer}/messages`, { tap: id }),
    redeliver: (id: string, how: object) =>
      control<{ status: number | null }>('POST', `deliveries/${id}/redeliver`, how),
    delivery: async (id: string): Promise<Delivery | undefined> =>
      (await control<{ items: Delivery[] }>('GET', 'deliveries')).items.find((delivery) => delivery.id === id),
    runs: (what: string): number => {
      try {
        return readFileSync(notes, 'utf8')
          .split('\n')
          .filter((line) => line.startsWith(what)).length
      } catch {
        return 0
      }
    },
    kill: () => ended(app, 'SIGKILL'),
    async close() {
      await Promise.all([ended(app, 'SIGTERM'), ended(emulatorProcess, 'SIGTERM')])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>

/** Looks until something holds, for a while; the answer says whether it ever did. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<boolean> {
  const end = Date.now() + PATIENCE_MS
  while (Date.now() < end) {
    if (await holds()) return true
    await wait(40)
  }
  return false
}

/** Long enough that a second reply would have been seen. */
export const settled = () => wait(1_200)

function launch(args: string[], environment: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ['--conditions=switchhook-source', ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

function firstLine(child: ChildProcess): Promise<string> {
  return lineThat(child, () => true)
}

function lineThat(child: ChildProcess, wanted: (line: string) => boolean): Promise<string> {
  return new Promise((resolveLine, reject) => {
    child.once('exit', (code) => reject(new Error(`a process of the demo ended with ${code} before it was ready`)))
    const lines = createInterface({ input: child.stdout ?? process.stdin })
    lines.on('line', (line) => {
      if (wanted(line)) resolveLine(line)
    })
  })
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolveEnd) => {
    child.once('exit', () => resolveEnd())
    child.kill(signal)
  })
}

function freePort(): Promise<number> {
  return new Promise((resolvePort) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolvePort(port))
    })
  })
}
