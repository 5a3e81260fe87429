import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { optionsInvalid } from '../../../base/errors.ts'
import { showsPassword } from '../../../store/postgres/address.ts'

interface Terminal {
  readonly isTTY?: boolean
}

/** What a command uses of its process. A test passes another object. */
export interface ProcessLike extends Pick<NodeJS.EventEmitter, 'on' | 'off'> {
  readonly ppid?: number
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & Terminal
  readonly stdout: Writable & Terminal
  readonly stderr: Writable & Terminal
  cwd(): string
  exit(code?: number): void
}

export interface Io extends Pick<ProcessLike, 'env' | 'stdin' | 'stdout' | 'stderr'> {
  readonly process: ProcessLike
  /** A command that fails without throwing an error sets this. */
  exitCode: number
  out(line: string): void
  err(line: string): void
}

export function createIo(process: ProcessLike): Io {
  const { env, stdin, stdout, stderr } = process
  return {
    env,
    stdin,
    stdout,
    stderr,
    process,
    exitCode: 0,
    out: (line) => void stdout.write(`${escaped(line)}\n`),
    err: (line) => void stderr.write(`${escaped(line, { colours: true })}\n`),
  }
}

/** @throws SwitchhookError `options_invalid` for a database's address: a file of that name would show the password. */
export function pathOf({ process }: Io, file: string): string {
  if (showsPassword(file)) throw optionsInvalid('expected a file, not the address of a database')
  return resolve(process.cwd(), file)
}

/** Quotes a path if a shell would not read it as one word. */
export function shellWord(path: string, platform = process.platform): string {
  if (/^[\p{L}\p{N}_@%+=:,./\\-]+$/u.test(path) && (platform === 'win32' || !path.includes('\\'))) return path
  return platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", String.raw`'\''`)}'`
}

/** Terminal controls and invisible characters, except those that join the parts of a letter or an emoji. */
const CONTROL = /[^\P{C}\n\t\u200C\u200D]|[\p{Zl}\p{Zp}]/gu
const COLOUR_OR_CONTROL = new RegExp(String.raw`\u001B\[[\d;]*m|${CONTROL.source}`, 'gu')

/**
 * Escapes characters that change the terminal or hide text, because any text may come from a stranger. The escapes are
 * those of JSON, so a line of JSON keeps its values. With `colours` the codes of colours stay.
 */
export function escaped(text: string, { colours = false } = {}): string {
  return text.replaceAll(colours ? COLOUR_OR_CONTROL : CONTROL, (found) => {
    if (found.endsWith('m')) return found
    const units = found.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
    return units.map((unit) => String.raw`\u${unit}`).join('')
  })
}

/** Writes one of many lines to stdout, and waits for a slow reader: otherwise all lines would be in memory at once. */
export async function printLine({ stdout }: Io, line: string): Promise<void> {
  if (!stdout.write(`${escaped(line)}\n`)) await once(stdout, 'drain')
}

export function isInteractive({ stdin, stderr }: Io): boolean {
  return stdin.isTTY === true && stderr.isTTY === true
}

/** A variable of the environment; an empty one counts as absent. */
export function environment({ env }: Pick<Io, 'env'>, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

export function signingSecret(io: Io): string | undefined {
  return environment(io, 'SWITCHHOOK_SIGNING_SECRET')?.split(',')[0]?.trim()
}

/**
 * Ends the process with 0 when the reader of stdout closes it, as `head` does: that is no failure. If the reader of
 * stderr closes it, the command continues.
 */
export function exitOnBrokenPipe(process: Pick<ProcessLike, 'stdout' | 'stderr' | 'exit'>): void {
  const { stdout, stderr } = process
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
  stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}
