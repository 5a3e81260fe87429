import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { reasonOf } from '../../base/errors.ts'
import { type RunningFlags, runningEmulator } from '../running-emulator.ts'

export interface StateFlags extends RunningFlags {
  readonly json?: boolean
}

const OWNER_ONLY = 0o600

/** `switchhook state export`: the emulator's whole state, in a file or on stdout. */
export async function exportState(file: string, flags: StateFlags): Promise<void> {
  const state = `${JSON.stringify(await runningEmulator(flags).get('state'))}\n`
  if (file === '-') return void process.stdout.write(state)
  write(file, state)
  process.stderr.write(`The state is in ${file}; it holds tokens and signing secrets.\n`)
  if (flags.json) process.stdout.write(`${JSON.stringify({ file })}\n`)
}

function write(file: string, state: string): void {
  try {
    if (existsSync(file) && !isState(readFileSync(file, 'utf8')))
      throw new Error('it is there already and holds no state; name another')
    // Renamed into its place: what was kept before is not lost where this cannot be written whole.
    writeFileSync(`${file}.tmp`, state, { mode: OWNER_ONLY })
    renameSync(`${file}.tmp`, file)
  } catch (error) {
    throw new Error(`the state cannot be written to ${file}: ${reasonOf(error)}`, { cause: error })
  }
}

function isState(text: string): boolean {
  try {
    const { version, time, deliveries } = JSON.parse(text) as Record<string, unknown>
    return version !== undefined && time !== undefined && Array.isArray(deliveries)
  } catch {
    return text === ''
  }
}
