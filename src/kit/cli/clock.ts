import type { Command } from 'commander'
import type { ClockView } from '../../emulator/control/operations.ts'
import { optionsInvalid } from '../../base/errors.ts'
import { example } from './support/arguments.ts'
import { EMULATOR_OPTIONS, runningEmulator, type RunningFlags } from './support/running-emulator.ts'
import type { Io } from './support/io.ts'
import { printRecord, spanText } from './support/output.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .description("show or move the emulator's clock; everything that becomes due happens at once")
    .argument('[change]', 'show (the default), +25h to move it forward, set TIME, or reset', 'show')
    .argument('[time]', 'the new time in ISO 8601: 2026-03-04T09:00:00Z')
    .option(...EMULATOR_OPTIONS.address)
    .option(...EMULATOR_OPTIONS.token)
    .option('--json', 'one line of JSON on stdout: {"now":"…","offsetMs":90000000}')
    .addHelpText('after', example('switchhook clock +25h'))
    .action((change, time, flags) => clock(io, change, time, flags))
}

async function clock(io: Io, change: string, time: string | undefined, flags: RunningFlags): Promise<void> {
  const requested = changeFrom(change, time)
  const emulator = runningEmulator(io, flags)
  const view =
    requested === undefined
      ? await emulator.get<ClockView>('clock')
      : await emulator.change<ClockView>('POST', 'clock', { ...requested, tellApp: true })
  await printRecord(io, flags, flags.json ? view : { now: view.now, ahead: spanText(view.offsetMs) })
}

function changeFrom(change: string, time: string | undefined): object | undefined {
  if (change === 'set' && time !== undefined) return { now: time }
  if (time === undefined) {
    if (change === 'show') return undefined
    if (change === 'reset') return { reset: true }
    if (change.startsWith('+')) return { advance: change.slice(1) }
  }
  throw optionsInvalid('expected `clock`, `clock +25h`, `clock set 2026-03-04T09:00:00Z` or `clock reset`')
}
