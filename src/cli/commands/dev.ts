import { type Command, Option } from 'commander'
import { collected, readCustomer } from '../arguments.ts'
import { dev, type DevFlags } from '../dev/dev.ts'
import { OUTPUTS } from '../dev/output.ts'
import { environment } from '../environment.ts'
import { DEFAULT_WEBHOOK } from '../running-emulator.ts'
import { portOption } from '../usual-emulator.ts'

/** `switchhook dev -- cmd`: the emulator, the app beside it, and a phone in the terminal. */
export function addDev(program: Command): void {
  program
    .command('dev')
    .description('run the emulator and your app beside it; in a terminal you are the customer')
    .argument('[command...]', 'how the app is started, after --')
    .addOption(portOption())
    .option('--webhook <url>', "the app's endpoint; where PORT is set, which the app sees too, at that port", webhook())
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

/** Many an app listens where PORT says. */
function webhook(): string {
  const port = environment('PORT')
  const url = new URL(DEFAULT_WEBHOOK)
  if (port !== undefined && port !== '0') url.port = port
  return url.href
}

const HELP = `
With --output json, stdout has one object a line: first {"kind":"ready","url":"…",…}, then all that the emulator's stream
tells.

An app that ends by itself is started again at the next change; where nobody has changed anything yet, and there is
neither a terminal nor --watch, its code is passed on.

Example:
  $ switchhook dev -- node bot.js
`
