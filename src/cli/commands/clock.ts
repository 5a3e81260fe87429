import type { Command } from 'commander'
import { clock } from '../clock/clock.ts'
import { example } from '../example.ts'
import { CONTROL_TOKEN, EMULATOR } from '../running-emulator.ts'

/** `switchhook clock`: the running emulator's clock. */
export function addClock(program: Command): void {
  program
    .command('clock')
    .description("show the emulator's clock, or move it; what became due happens at once")
    .argument('[change]', 'show (the default), +25h to move it forward, set TIME, or reset', 'show')
    .argument('[time]', 'to which it is set, in ISO 8601: 2026-03-04T09:00:00Z')
    .option(...EMULATOR)
    .option(...CONTROL_TOKEN)
    .option('--json', 'one line of JSON on stdout: {"now":"…","offsetMs":90000000}')
    .addHelpText('after', example('switchhook clock +25h'))
    .action(clock)
}
