import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { optionsInvalid, reasonOf, type SwitchhookError, causeOf } from '../../../base/errors.ts'
import { isLoopback } from '../../../base/host.ts'
import { isRecord } from '../../../base/value.ts'
import { EMULATOR_HEADER } from '../../../emulator/http/messages.ts'
import { OutOfReach } from './exit.ts'
import { environment, type Io, pathOf } from './io.ts'

/** The folder for files of development. Git ignores it. */
const FOLDER = '.switchhook'

const DEV_FILE = `${FOLDER}/dev.json`

export const EMULATOR_OPTIONS = {
  address: [
    '--emulator <url>',
    `its address (env: SWITCHHOOK_EMULATOR; default: from ${DEV_FILE}, else http://127.0.0.1:4747)`,
  ],
  token: [
    '--control-token <token>',
    `needed to change it or to read conversations (env: SWITCHHOOK_CONTROL_TOKEN; default: from ${DEV_FILE})`,
  ],
} as const

export interface RunningFlags {
  readonly emulator?: string
  readonly controlToken?: string
  readonly json?: boolean
}

export const DEFAULT_PORT = 4747

export const DEFAULT_WEBHOOK = 'http://127.0.0.1:3000/webhooks/messages'

export function runningEmulator(io: Io, flags: RunningFlags): Control {
  const named = flags.emulator ?? environment(io, 'SWITCHHOOK_EMULATOR')
  const note = readNote(io)
  const url = named === undefined ? (note?.url ?? `http://127.0.0.1:${DEFAULT_PORT}`) : readAddress(named)
  // The token in the note is only for the emulator that wrote the note, not for a program at another address.
  const noted = note?.url === url ? note.controlToken : undefined
  const token = flags.controlToken ?? environment(io, 'SWITCHHOOK_CONTROL_TOKEN') ?? noted
  return openControl({ url, token })
}

function readAddress(text: string): string {
  const url = URL.parse(text)
  // The emulator listens on 127.0.0.1, whatever `localhost` resolves to.
  if (url?.hostname === 'localhost') url.hostname = '127.0.0.1'
  if (url?.protocol === 'http:' && isLoopback(url.href)) return url.origin
  throw optionsInvalid('--emulator: expected the address of an emulator on this machine, such as http://127.0.0.1:4747')
}

export interface Control {
  readonly url: string
  get<T>(path: string): Promise<T>
  change<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T>
  stream(signal: AbortSignal): Promise<Response>
}

export class ControlRefused extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The longest wait for an emulator. A request may include a delivery attempt of 10 s. */
const PATIENCE_MS = 60_000

export function openControl({ url, token }: { readonly url: string; readonly token: string | undefined }): Control {
  const reach = <T>(answer: Promise<T>) =>
    answer.catch((error: unknown) => {
      const why = reasonOf(causeOf(error) ?? error)
      throw new OutOfReach(
        `no emulator answers at ${url} (${why}): start one with \`switchhook dev\` or \`switchhook emulator\`, or name it with --emulator`,
        error,
      )
    })
  const request = async (path: string, about: RequestInit) => {
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    const answer = await reach(fetch(`${url}/_emulator/${path}`, { ...about, headers, redirect: 'manual' }))
    return readAnswer(answer, url, token)
  }
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const sent = body !== undefined && { body: JSON.stringify(body) }
    const answer = await request(path, { method, ...sent, signal: AbortSignal.timeout(PATIENCE_MS) })
    return (await reach(answer.json())) as T
  }
  return {
    url,
    get: (path) => ask('GET', path),
    change: (method, path, body) => ask(method, path, body),
    stream: (signal) => request('stream', { signal }),
  }
}

/** @throws OutOfReach if another program answers; SwitchhookError or ControlRefused if the emulator refuses. */
async function readAnswer(response: Response, url: string, token: string | undefined): Promise<Response> {
  const isEmulator = Object.entries(EMULATOR_HEADER).every(([name, value]) => response.headers.get(name) === value)
  if (!isEmulator)
    throw new OutOfReach(
      `another program answers at ${url}, not an emulator: pass the emulator's address as --emulator`,
      undefined,
    )
  const { status } = response
  if (response.ok) return response
  if (status === 401) throw wrongToken(url, token)
  const refusal = (await response.json().catch(() => ({}))) as { readonly code?: string; readonly message?: string }
  const { code = String(status), message = `it answered ${status}` } = refusal
  if (status === 400) throw optionsInvalid(message)
  throw new ControlRefused(code, message)
}

function wrongToken(url: string, token: string | undefined): SwitchhookError {
  const problem = token === undefined ? 'needs its control token' : 'has another control token'
  return optionsInvalid(
    `the emulator at ${url} ${problem}: pass the one that it printed as --control-token, or run this in the folder in which it was started`,
  )
}

/** What `dev` and `emulator` leave in `dev.json` for other commands. */
interface Note {
  readonly url: string
  readonly controlToken: string
  readonly pid: number
  readonly webhook: string
}

/** Writes the note, and removes it when the result is disposed of. If it cannot be written, the emulator still runs. */
export function leaveNote(io: Io, { url, controlToken, webhook }: Omit<Note, 'pid'>): Disposable {
  try {
    write(makeFolder(io), { url, controlToken, pid: process.pid, webhook })
  } catch (error) {
    io.err(`${DEV_FILE} cannot be written, so other commands need --emulator and --control-token: ${reasonOf(error)}`)
  }
  const remove = () => {
    // A later emulator may have left its own note.
    if (readNote(io)?.url === url) rmSync(pathOf(io, DEV_FILE), { force: true })
  }
  io.process.on('exit', remove)
  return {
    [Symbol.dispose]() {
      remove()
      io.process.off('exit', remove)
    },
  }
}

/**
 * Writes a new file and renames it, so that nobody reads half a note. Only the owner may read the new file. An existing
 * file would keep its mode, and an existing link would lead to another file.
 */
function write(folder: string, note: Note): void {
  const draft = join(folder, `dev.${process.pid}.json`)
  rmSync(draft, { force: true })
  writeFileSync(draft, `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(draft, join(folder, 'dev.json'))
}

export function makeFolder(io: Io): string {
  const folder = pathOf(io, FOLDER)
  mkdirSync(folder, { recursive: true })
  const ignored = join(folder, '.gitignore')
  // `wx` does not follow a link of this name, which a stranger's repository may contain.
  if (!existsSync(ignored)) writeFileSync(ignored, '*\n', { flag: 'wx' })
  return folder
}

function readNote(io: Io): Note | undefined {
  try {
    return toNote(JSON.parse(readFileSync(pathOf(io, DEV_FILE), 'utf8')))
  } catch {
    return undefined
  }
}

function toNote(json: unknown): Note | undefined {
  if (!isRecord(json)) return undefined
  const { url, controlToken, pid, webhook } = json
  const isNote = [url, controlToken, webhook].every((one) => typeof one === 'string') && Number.isSafeInteger(pid)
  // A stranger's repository may contain a note. That note must not send commands to another machine.
  return isNote && isLoopback(url as string) ? ({ url, controlToken, pid, webhook } as Note) : undefined
}
