import type { Command } from 'commander'
import { readPort } from '../arguments.ts'
import { exec } from '../exec/exec.ts'
import { DEFAULT_WEBHOOK } from '../running-emulator.ts'

/** `switchhook exec -- cmd`: an emulator for as long as a command runs. */
export function addExec(program: Command): void {
  program
    .command('exec')
    .description('run a command beside an emulator of its own, with its environment set, and exit with its code')
    .argument('<command...>', 'what is run, after --')
    .option('--port <port>', "the emulator's port on 127.0.0.1; 0 takes a free one", readPort, 0)
    .option('--webhook <url>', "the app's endpoint", DEFAULT_WEBHOOK)
    .addHelpText('after', HELP)
    .action(exec)
}

const HELP = `
The command finds SWITCHHOOK_BASE_URL, _ACCESS_TOKEN, _SIGNING_SECRET, _PHONE_NUMBER_ID and _DATABASE (in a folder that
is removed at the end) in its environment; its stdin, stdout and stderr are this program's own.

Example:
  $ switchhook exec -- npx vitest run
`
