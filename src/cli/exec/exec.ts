import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator } from '../../emulator/index.ts'
import { EXIT } from '../exit.ts'
import { refuseLiveCommand } from '../live.ts'
import { surroundings } from '../surroundings.ts'

export interface ExecFlags {
  readonly port: number
  readonly webhook: string
}

/** `switchhook exec -- cmd`: starts an emulator, runs the command beside it, and ends with the command's code. */
export async function exec(command: readonly string[], { port, webhook }: ExecFlags): Promise<void> {
  refuseLiveCommand(command)
  await using emulator = await createEmulator({ port, webhook })
  using folder = temporaryFolder()
  process.exitCode = await run(command, surroundings(emulator, join(folder.path, 'switchhook.db')))
}

async function run(command: readonly string[], environment: Record<string, string>): Promise<number> {
  const [file = '', ...args] = command
  const child = spawn(file, args, { env: { ...process.env, ...environment }, stdio: 'inherit' })
  using _signals = passingOn(child)
  return await codeOf(child, file)
}

function codeOf(child: ChildProcess, file: string): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`switchhook: ${file} cannot be started: ${error.message}\n`)
      resolve(EXIT.failed)
    })
    child.once('close', (code, signal) => resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]))
  })
}

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The command is told what this process is told, and answers with its own end. */
function passingOn(child: ChildProcess): Disposable {
  const pass = (signal: NodeJS.Signals) => {
    // A terminal tells the command itself of Ctrl-C; twice would be "now" to many.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  for (const signal of PASSED_ON) process.on(signal, pass)
  return {
    [Symbol.dispose]() {
      for (const signal of PASSED_ON) process.off(signal, pass)
    },
  }
}

function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'switchhook-exec-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
