import type { Command } from 'commander'
import { type EmulatorFlags, runEmulator } from '../emulator/emulator.ts'
import { example } from '../example.ts'
import { DEFAULT_WEBHOOK } from '../running-emulator.ts'
import { portOption } from '../usual-emulator.ts'

/** `switchhook emulator`: the service on this machine, until it is told to stop. */
export function addEmulator(program: Command): void {
  program
    .command('emulator')
    .description('run the whole service on this machine; no send leaves it')
    .addOption(portOption())
    .option('--webhook <url>', "the app's endpoint, registered as the first subscription", DEFAULT_WEBHOOK)
    .option('--secret <secret>', 'its signing secret (env: SWITCHHOOK_SIGNING_SECRET; default: made up)')
    .option('--token <token>', 'the access token of the API (env: SWITCHHOOK_ACCESS_TOKEN; default: made up)')
    .option('--control-token <token>', 'what changes through /_emulator need (default: made up)')
    .option('--data <file>', 'keep the state in this file, tokens and secrets included (default: in memory alone)')
    .option('--json', 'one line of JSON on stdout when it is ready')
    .addHelpText('after', example('switchhook emulator --port 4747 --webhook http://127.0.0.1:3000/webhooks/messages'))
    .action(async (flags: EmulatorFlags) => {
      process.exitCode = await runEmulator(flags)
    })
}
