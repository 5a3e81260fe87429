import { type Command, Option } from 'commander'
import { collected, readCustomer, readPort } from '../arguments.ts'
import { dev, type DevFlags } from '../dev/dev.ts'
import { OUTPUTS } from '../dev/output.ts'
import { DEFAULT_PORT, DEFAULT_WEBHOOK } from '../running.ts'

/** `switchhook dev -- cmd`: the emulator, the app beside it, and a phone in the terminal. */
export function addDev(program: Command): void {
  program
    .command('dev')
    .description('run the emulator and your app beside it; in a terminal you are the customer')
    .argument('[command...]', 'how the app is started, after --')
    .option('--port <port>', "the emulator's port on 127.0.0.1; 0 takes a free one", readPort, DEFAULT_PORT)
    .option('--webhook <url>', "the app's endpoint", DEFAULT_WEBHOOK)
    .option('--customer <digits>', 'who you are: 6 to 20 digits', readCustomer, '255712000101')
    .option(
      '--watch <glob>',
      'start the app again when these change, in place of its sources; may be repeated',
      collected,
    )
    .option('--no-watch', 'do not start the app again when its sources change')
    .addOption(new Option('--output <form>', 'what is told of all that happens').choices(OUTPUTS).default('pretty'))
    .option('--open', "open the emulator's page in the browser")
    .option('--live', "set aside the live service's address and database that the environment names")
    .addHelpText('after', HELP)
    .action(async (command: string[], flags: DevFlags) => {
      process.exitCode = await dev(command, flags)
    })
}

const HELP = `
With --output json, stdout has one object a line: first {"kind":"ready","url":"…",…}, then all that the emulator's stream
tells.

An app that ends by itself is started again at the next change; where nobody has changed anything yet, and there is
neither a terminal nor --watch, its code is passed on.

Example:
  $ switchhook dev -- node bot.js
`
