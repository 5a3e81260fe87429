/** Runs apps as real processes over one database file. */
import { type ChildProcess, fork } from 'node:child_process'
import type { Emulator } from '../../src/emulator/emulator.ts'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Order, Point, Report, SendNote } from './app.ts'
import type { Node } from './nodes.ts'
import type { Counts } from '../../src/store/reads/overview.ts'

export interface Harness extends AsyncDisposable {
  readonly folder: string
  readonly database: string
  readonly secret: string
  /** The time from which on the clocks of fast apps run fast. */
  readonly epoch: number
  /** Starts an app, and resolves when it listens. */
  launch(o?: LaunchOptions): Promise<App>
  /** The notes of all handlers, in their order. */
  notes(): Note[]
  /** The notes of all sends, in their order, of the apps that were launched with `notesSends`. */
  sendNotes(): SendNote[]
}

export interface LaunchOptions {
  /** The point at which the process halts, so that it can be killed exactly there. */
  readonly haltAt?: Point
  /** The point at which the send to each of these customers halts. */
  readonly haltFor?: Readonly<Record<string, Point>>
  readonly onUnknown?: 'repeat' | 'hold'
  readonly port?: number
  /** An emulator's address and token; without, the app cannot send. */
  readonly emulator?: Pick<Emulator, 'url' | 'accessToken' | 'assumptions'>
  /** How many times faster than real time the app's clock and timers run. */
  readonly speed?: number
  /** Milliseconds by which the app's wall clock is ahead, until the next step. */
  readonly clockAhead?: number
  /** Notes each send, and does not report when no item waits. */
  readonly notesSends?: boolean
  /** Messages are gathered until their customer is quiet for so many milliseconds; else each is handled alone. */
  readonly quiet?: number
  /** More variables for the process. */
  readonly environment?: Readonly<Record<string, string>>
  /** The process runs there, and the emulator and the process reach each other; undefined for this machine. */
  readonly node?: Node | undefined
}

export interface App extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** Resolves when the app has sent so many such reports since its start. */
  reported(matches: (report: Report) => boolean, times?: number): Promise<void>
  /** Notifies of each report from now on. */
  onReport(listener: (report: Report) => void): void
  /** Resolves when no item waits and so many have been handled. */
  handled(items: number): Promise<Counts>
  /** `resume` lets the handler of a slow message continue; `suspend` suspends the process, holding no lock. */
  order(order: Order): void
  /** Stops the process wherever it is, whatever it holds. */
  freeze(): void
  /** Resolves when it has its file open, also after a failure. */
  fileIsOpen(): Promise<void>
  /** Continues a suspended or frozen process. */
  wake(): void
  /** Resolves when the process has ended, however it did. */
  readonly ended: Promise<number | null>
  /** What it has written to its standard error. */
  stderr(): string
  /** Ends the process; resolves when it has ended. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

export interface Note {
  readonly what: 'start' | 'end' | 'failed'
  readonly customer: string
  readonly text: string
  readonly attempt: number
  readonly pid: number
  /** Real time, as for the parent. */
  readonly at: number
}

export const SECRET = 'a signing secret of some length'

export function openHarness(): Harness {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-torture-'))
  const database = join(folder, 'switchhook.db')
  // Beside the database, and not in its folder: there a disk may fail, and what is noted must not.
  const noted = mkdtempSync(join(tmpdir(), 'switchhook-torture-notes-'))
  const notes = join(noted, 'notes.jsonl')
  const sendNotes = join(noted, 'sends.jsonl')
  const apps: App[] = []
  /** All apps of a harness share one time, however fast it runs. */
  const epoch = Date.now()

  return {
    folder,
    database,
    secret: SECRET,
    epoch,
    async launch({ haltAt, haltFor = {}, onUnknown = 'repeat', port = 0, emulator, speed = 1, ...more } = {}) {
      const environment: Record<string, string> = {
        SWITCHHOOK_DATABASE: database,
        SWITCHHOOK_SIGNING_SECRET: SECRET,
        ...(emulator && { SWITCHHOOK_BASE_URL: emulator.url, SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken }),
        ...(emulator && { SWITCHHOOK_KEYS_REMEMBERED_FOR: (await emulator.assumptions.get()).keysRememberedFor }),
        TORTURE_NOTES: notes,
        TORTURE_PORT: String(port),
        TORTURE_SPEED: String(speed),
        TORTURE_EPOCH: String(epoch),
        TORTURE_CLOCK_AHEAD: String(more.clockAhead ?? 0),
        ...(more.notesSends && { TORTURE_SENDS: sendNotes }),
        ...(more.quiet !== undefined && { TORTURE_QUIET: String(more.quiet) }),
        TORTURE_HALT_FOR: JSON.stringify(haltFor),
        TORTURE_ON_UNKNOWN: onUnknown,
        ...(haltAt && { TORTURE_HALT_AT: haltAt }),
        ...more.environment,
      }
      const { node } = more
      if (node && emulator) environment['TORTURE_SERVICE'] = await node.reaching(emulator.url)
      const app = await started(environment, node)
      apps.push(app)
      return app
    },
    notes: () => linesOf(notes) as Note[],
    sendNotes: () => linesOf(sendNotes) as SendNote[],
    async [Symbol.asyncDispose]() {
      await Promise.all(apps.map((app) => app.end('SIGKILL')))
      for (const each of [folder, noted]) rmSync(each, { recursive: true, force: true })
    },
  }
}

function linesOf(file: string): unknown[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

/** The checkouts from which processes begin by turns: this one, and perhaps another build of the same schema. */
const BUILDS = [resolve(import.meta.dirname, '../..'), ...(process.env['TORTURE_OTHER_BUILD']?.split(',') ?? [])]
let begun = 0

async function started(environment: Record<string, string>, node: Node | undefined): Promise<App> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SWITCHHOOK_'))
  const [execPath, ...execArgv] = [...(node?.command ?? []), process.execPath, '--conditions=switchhook-source']
  const child = fork(join(BUILDS[begun++ % BUILDS.length] as string, 'tools/torture/app.ts'), [], {
    execPath,
    execArgv,
    env: { ...Object.fromEntries(inherited), ...environment },
    // It must not hold the test's own output open.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const reports: Report[] = []
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  child.on('message', (report: Report) => reports.push(report))

  const until = async <T>(found: () => T | undefined): Promise<T> => {
    for (;;) {
      const it = found()
      if (it !== undefined) return it
      const over = await Promise.race([ended.then((code) => ({ code })), once(child, 'message')])
      if ('code' in over && found() === undefined)
        throw new Error(`an app ended with ${over.code} too early: ${stderr}`)
    }
  }
  const url = await until(() => reports.find((report) => report.kind === 'listening')?.url)
  return {
    url: node ? node.at(url) : url,
    pid: child.pid ?? 0,
    async reported(matches, times = 1) {
      await until(() => (reports.filter((report) => matches(report)).length >= times ? true : undefined))
    },
    onReport: (listener) => void child.on('message', listener),
    fileIsOpen: () =>
      until(() => reports.findLast((report) => report.kind === 'file')?.open !== false || undefined).then(() => {}),
    handled: (items) =>
      until(
        () =>
          reports.findLast((report) => report.kind === 'idle' && (report.items['done'] ?? 0) >= items) as Report & Idle,
      ).then((report) => report.items),
    // A process that ended unexpectedly gets no message, and is reported at the end.
    order: (order) => void (child.connected && child.send(order, () => {})),
    freeze: () => void child.kill('SIGSTOP'),
    wake: () => void child.kill('SIGCONT'),
    ended,
    stderr: () => stderr,
    end: (signal) => kill(child, signal, ended),
    [Symbol.asyncDispose]: async () => void (await kill(child, 'SIGKILL', ended)),
  }
}

interface Idle {
  readonly items: Counts
}

function kill(child: ChildProcess, signal: NodeJS.Signals, ended: Promise<number | null>): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal)
  return ended
}
