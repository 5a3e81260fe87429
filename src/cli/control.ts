import { reasonOf, SwitchhookError } from '../base/errors.ts'
import { EMULATOR_HEADER } from '../emulator/http/messages.ts'
import { OutOfReach } from './exit.ts'
import { isSuccess } from './success.ts'

/** A running emulator, from the outside: its routes under `/_emulator`. Errors carry the exit code they deserve. */
export interface Control {
  readonly url: string
  /** What stands under a path such as `clock`. */
  get<T>(path: string): Promise<T>
  /** Asks for a change; answers what the emulator answers. */
  change<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T>
}

/** The emulator took the request for one that it cannot carry out. Branch on `code`. */
export class ControlRefused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

interface Opened {
  readonly url: string
  readonly token: string | undefined
  /** What else is known of an emulator that does not answer. */
  readonly hint: string
}

/** Attempts to deliver may take 10 s; who needs longer is not an emulator. */
const PATIENCE_MS = 60_000

export function openControl({ url, token, hint }: Opened): Control {
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await answerOf(`${url}/_emulator/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).catch((error: unknown) => {
      const why = reasonOf(error instanceof Error && error.cause !== undefined ? error.cause : error)
      throw new OutOfReach(
        `no emulator answers at ${url} (${why})${hint}: start one with \`switchhook dev\` or \`switchhook emulator\`, or name it with --emulator`,
        error,
      )
    })
    return read(answer, url, token) as T
  }
  return {
    url,
    get: (path) => ask('GET', path),
    change: (method, path, body) => ask(method, path, body),
  }
}

interface Answer {
  readonly status: number
  readonly isEmulator: boolean
  readonly text: string
}

async function answerOf(url: string, request: RequestInit): Promise<Answer> {
  const response = await fetch(url, request)
  const isEmulator = Object.entries(EMULATOR_HEADER).every(([name, value]) => response.headers.get(name) === value)
  return { status: response.status, isEmulator, text: isEmulator ? await response.text() : '' }
}

function read({ status, isEmulator, text }: Answer, url: string, token: string | undefined): unknown {
  if (!isEmulator)
    throw new OutOfReach(
      `something else answers at ${url}, and it is no emulator: name the emulator's address with --emulator`,
      undefined,
    )
  const answered = JSON.parse(text) as { readonly code?: string; readonly message?: string }
  if (isSuccess(status)) return answered
  if (status === 401) throw unknownToken(url, token)
  const { code = String(status), message = `it answered ${status}` } = answered
  if (status === 400) throw new SwitchhookError('options_invalid', message)
  throw new ControlRefused(status, code, message)
}

function unknownToken(url: string, token: string | undefined): SwitchhookError {
  const where = 'give the one that it printed with --control-token, or run this in the folder in which it was started'
  return token === undefined
    ? new SwitchhookError(
        'environment_missing',
        `the emulator at ${url} takes changes with its control token: ${where}`,
      )
    : new SwitchhookError('options_invalid', `the emulator at ${url} has another control token: ${where}`)
}
