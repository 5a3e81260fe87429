import type { Command } from 'commander'
import { example } from '../example.ts'
import { CONTROL_TOKEN, EMULATOR } from '../running-emulator.ts'
import { exportState } from '../state/export.ts'
import { importState, resetState } from '../state/import.ts'

/** `switchhook state …`: all that the running emulator knows. */
export function addState(program: Command): void {
  const state = program
    .command('state')
    .description(
      'keep, bring back or clear all that the emulator knows: phones, templates, keys, deliveries, its clock',
    )
    .addHelpText('after', example('switchhook state export before.json'))
  working(state.command('export'))
    .description('write it down; it holds tokens and signing secrets, and no one-time code')
    .argument('[file]', 'where it goes, in place of one written before; - for stdout', '-')
    .option('--json', 'one line of JSON on stdout: the state, or {"file":"…"} where it went into one')
    .addHelpText('after', example('switchhook state export before.json'))
    .action(exportState)
  working(state.command('import'))
    .description('go on from what was written down, at the time at which that was')
    .argument('<file>', 'what `state export` wrote; - for stdin')
    .option('--json', JSON_LINE)
    .addHelpText('after', example('switchhook state import before.json'))
    .action(importState)
  working(state.command('reset'))
    .description('back to the beginning; its first subscription alone remains')
    .option('--json', JSON_LINE)
    .addHelpText('after', example('switchhook state reset'))
    .action(resetState)
}

const JSON_LINE = 'one line of JSON on stdout: {"now":"…","offsetMs":0}, its clock'

function working(command: Command): Command {
  return command.option(...EMULATOR).option(...CONTROL_TOKEN)
}
