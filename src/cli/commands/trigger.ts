import type { Command } from 'commander'
import { collected, readCount, readCustomer } from '../arguments.ts'
import { PREFIX, SECRET, YES } from '../deliveries/receiver.ts'
import { CONTROL_TOKEN, EMULATOR } from '../running-emulator.ts'
import { trigger } from '../trigger/trigger.ts'

/** `switchhook trigger`: an event as the service would deliver it. */
export function addTrigger(program: Command): void {
  program
    .command('trigger')
    .description('let an event happen in the running emulator, or sign it and post it straight to --url')
    .argument('[event]', 'its name; without one, the events that the service names are listed')
    .option('--from <digits>', 'the customer whom it is about', readCustomer, '255712000101')
    .option('--text <text>', 'what the customer writes')
    .option('--tap <id>', 'the button or row that the customer taps')
    .option('--set <path=value>', 'change the payload: data.content=hours; path:=json for another kind', collected, [])
    .option('--data <file>', 'the payload, as it stands in a file; - for stdin')
    .option('--times <n>', 'how often, each a delivery of its own', readCount, 1)
    .option('--url <url>', 'post it there, signed here; no emulator is needed')
    .option(...SECRET)
    .option(...PREFIX)
    .option(...YES)
    .option(...EMULATOR)
    .option(...CONTROL_TOKEN)
    .option('--dry-run', 'print the payload on stdout and deliver nothing')
    .option('--json', 'one object a line on stdout: {"event":"…","id":"01J…","status":200,"ms":23,"ok":true}')
    .addHelpText('after', HELP)
    .action(trigger)
}

const HELP = `
Through the emulator a customer's message also stands on the phone and opens the window; with --set or --data the payload
alone is delivered. Exit codes: 0 every delivery was answered with 2xx, 1 one was not, 2 usage, 3 no emulator or receiver
answers, 4 --url is not this machine and there is no --yes.

Example:
  $ switchhook trigger message.received --from 255712000101 --text hours
`
