import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { optionsInvalid, reasonOf } from '../base/errors.ts'
import { example } from './support/arguments.ts'
import { readInput } from './support/files.ts'
import type { Io } from './support/io.ts'
import { EMULATOR_OPTIONS, runningEmulator, type RunningFlags } from './support/running-emulator.ts'

export function addCommand(state: Command, io: Io): void {
  state
    .description("export, import or reset the emulator's state: phones, templates, keys, deliveries, its clock")
    .addHelpText('after', example('switchhook state export before.json'))
  working(state.command('export'))
    .description('write the state; it contains tokens and signing secrets, and no one-time code')
    .argument('[file]', 'the file, over an earlier export; - for stdout', '-')
    .option('--json', 'one line of JSON on stdout: the state, or {"file":"…"} if it went into a file')
    .addHelpText('after', example('switchhook state export before.json'))
    .action((file, flags) => exportState(io, file, flags))
  working(state.command('import'))
    .description('go on from an exported state, at the time of the export')
    .argument('<file>', 'a file of `state export`; - for stdin')
    .option('--json', JSON_LINE)
    .addHelpText('after', example('switchhook state import before.json'))
    .action((file, flags) => importState(io, file, flags))
  working(state.command('reset'))
    .description('go back to the beginning; only the first subscription remains')
    .option('--json', JSON_LINE)
    .addHelpText('after', example('switchhook state reset'))
    .action((flags) => resetState(io, flags))
}

const JSON_LINE = 'one line of JSON on stdout: {"now":"…","offsetMs":0}, its clock'

function working(command: Command): Command {
  return command.option(...EMULATOR_OPTIONS.address).option(...EMULATOR_OPTIONS.token)
}

const OWNER_ONLY = 0o600

/** Writes the emulator's whole state to a file or to stdout. */
async function exportState(io: Io, file: string, flags: RunningFlags): Promise<void> {
  const state = `${JSON.stringify(await runningEmulator(io, flags).get('state'))}\n`
  if (file === '-') return void io.stdout.write(state)
  write(file, state)
  io.err(`The state is in ${file}; it holds tokens and signing secrets.`)
  if (flags.json) io.out(JSON.stringify({ file }))
}

function write(file: string, state: string): void {
  try {
    if (existsSync(file) && !isState(readFileSync(file, 'utf8')))
      throw new Error('it is there already and holds no state; name another')
    // Written and renamed, so that a failure does not destroy an earlier export.
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

async function importState(io: Io, file: string, flags: RunningFlags): Promise<void> {
  const state = parsed(await readInput(io, file, 'import'), file)
  const clock = await runningEmulator(io, flags).change<{ now: string }>('PUT', 'state', state)
  printClock(io, clock, flags, `The emulator goes on from ${file === '-' ? 'there' : file}`)
}

async function resetState(io: Io, flags: RunningFlags): Promise<void> {
  const clock = await runningEmulator(io, flags).change<{ now: string }>('DELETE', 'state')
  printClock(io, clock, flags, 'The emulator is as it began')
}

function printClock(io: Io, clock: { readonly now: string }, { json }: RunningFlags, text: string): void {
  if (json) io.out(JSON.stringify(clock))
  io.err(`${text}; its clock says ${clock.now}.`)
}

function parsed(bytes: Buffer, file: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw optionsInvalid(`${file} is no JSON, so no state`, { cause: error })
  }
}
