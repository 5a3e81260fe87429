import type { Command } from 'commander'
import { collected, readCustomer } from '../arguments.ts'
import { send } from '../send/send.ts'
import { CONTROL_TOKEN, EMULATOR } from '../running-emulator.ts'
import { BASE_URL, PHONE_NUMBER_ID, TOKEN } from '../templates/service.ts'

/** `switchhook send`: one message, as a bot would send it. */
export function addSend(program: Command): void {
  program
    .command('send')
    .description('send one message through the API; without an address, to the running emulator')
    .requiredOption('--to <digits>', 'the recipient', readCustomer)
    .option('--text <text>', 'a text; with --button, the text above the buttons')
    .option('--button <id=title>', 'a button, up to three times', collected, [])
    .option('--template <name>', 'a template')
    .option('--language <code>', 'in which it is approved, such as sw or en_US')
    .option('--param <text>', "what fills the body's {{1}}, {{2}} …, once for each", collected, [])
    .option('--data <file>', 'the body as JSON, without `to`; - for stdin')
    .option('--key <key>', 'the idempotency key: derived from what the message is about, never random')
    .option(...BASE_URL)
    .option(...TOKEN)
    .option(...PHONE_NUMBER_ID)
    .option(...EMULATOR)
    .option(...CONTROL_TOKEN)
    .option('--live', 'also where the address is not this machine: a phone rings')
    .option('--json', 'one line of JSON on stdout: what the service answered')
    .addHelpText('after', HELP)
    .action(send)
}

const HELP = `
Where the address is not this machine, the recipient stands in SWITCHHOOK_ALLOWED_RECIPIENTS or is typed once more at the
terminal. Exit codes: 0 accepted, 1 refused, 2 usage, 3 no emulator answers, 4 it would reach a phone and was not
confirmed, 130 interrupted.

Example:
  $ switchhook send --to 255712000101 --text 'How can we help?' --button track='Track order'
`
