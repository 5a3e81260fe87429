import type { Command } from 'commander'
import { example } from './support/arguments.ts'
import { EMULATOR_OPTIONS, runningEmulator, type RunningFlags } from './support/running-emulator.ts'
import { changeFaults, FAULT_COLUMNS, FAULTS_HELP, NO_FAULT } from './support/fault-rules.ts'
import type { Io } from './support/io.ts'
import { printList } from './support/output.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .description('arm a fault in the running emulator; without one, the armed faults are listed')
    .argument('[fault...]', 'its name and its members, or off to disarm all')
    .option(...EMULATOR_OPTIONS.address)
    .option(...EMULATOR_OPTIONS.token)
    .option('--json', 'one armed fault a line on stdout: {"on":"send","do":"lose_answer","next":1}')
    .addHelpText('after', `\n${FAULTS_HELP}\n${example('switchhook faults lose_answer next=2')}`)
    .action((words, flags) => faults(io, words, flags))
}

async function faults(io: Io, words: readonly string[], flags: RunningFlags): Promise<void> {
  const rules = await changeFaults(runningEmulator(io, flags), words)
  await printList(io, flags, rules, FAULT_COLUMNS, { none: NO_FAULT })
}
