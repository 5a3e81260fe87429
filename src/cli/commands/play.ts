import type { Command } from 'commander'
import { play } from '../play/play.ts'
import { CONTROL_TOKEN, EMULATOR } from '../running-emulator.ts'

/** `switchhook play FILE…`: recorded conversations against a running app. */
export function addPlay(program: Command): void {
  program
    .command('play')
    .description('play recorded conversations against the running app, step by step')
    .argument('<file...>', 'conversations as the page of the emulator records them; - is stdin')
    .option('--wait <span>', 'how long a step may take; one that expects nothing takes it whole (default: 5s)')
    .option(...EMULATOR)
    .option(...CONTROL_TOKEN)
    .option('--junit <file>', "where a report in JUnit's XML goes")
    .option('--json', 'one object a line on stdout: {"kind":"step",…}, and {"kind":"score",…} at the end')
    .addHelpText('after', EXAMPLE)
    .action(play)
}

const EXAMPLE = `
Exit codes: 0 all steps hold, 1 one falls, 2 usage, 3 no emulator answers.

Example:
  $ switchhook play test/opening-hours.json
`
