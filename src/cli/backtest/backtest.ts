import type { Command } from 'commander'
import { collect, example } from '../support/arguments.ts'
import { DATABASE_OPTION } from '../support/database.ts'
import type { Io } from '../support/io.ts'
import { compare } from './compare.ts'
import { record } from './record.ts'

const ALLOW = [
  '--allow <host>',
  'a host beside this machine that the app may call; may be given several times',
  collect,
] as const

/** Declares `switchhook backtest …`: recorded messages through two versions of a bot. */
export function addCommand(backtest: Command, io: Io): void {
  backtest
    .description('play recorded messages through two versions of the app; nothing is sent')
    .addHelpText('after', example('switchhook backtest record --since 7d --out before.json -- node bot.ts'))
  addRecord(backtest, io)
  addCompare(backtest, io)
}

function addRecord(backtest: Command, io: Io): void {
  backtest
    .command('record')
    .description('play recorded deliveries through the app as it is, and write what it says to them')
    .argument('<command...>', "the app's command, after --")
    .requiredOption('--out <file>', 'a new file, which holds the messages and the answers: for its owner alone')
    .option(...DATABASE_OPTION)
    .option('--from <file>', 'instead fixtures, as `inbox export` writes them; may be given several times', collect)
    .option('--since <span>', 'only those received within this span, such as 1h or 7d')
    .option('--until <span>', 'only those received before this span, such as 1d')
    .option('--event <name>', 'only those of this event')
    .option('--id <id>', 'only this delivery, by its number or its id; may be given several times', collect)
    .option('--templates <path>', 'approved templates: a JSON file, or a folder of them')
    .option(...ALLOW)
    .option('--json', 'one line of JSON on stdout: {"out":"…","played":120,"notRepeatable":[],…}')
    .addHelpText('after', RECORD_HELP)
    .action((command, flags) => record(io, command, flags))
}

const RECORD_HELP = `
The app finds SWITCHHOOK_BACKTEST in its environment, and bot.backtesting is true in it.

Exit codes: 0 recorded, 1 failed, 2 usage, or the app could not be played.

Example:
  $ switchhook backtest record --since 7d --out before.json -- node bot.ts
`

function addCompare(backtest: Command, io: Io): void {
  backtest
    .command('compare')
    .description('play the same deliveries through the app as it is now, and tell what it says differently')
    .argument('<recording>', 'a file of `backtest record`')
    .argument('<command...>', "the app's command, after --")
    .option('--html <file>', 'a new file for a report that people can read')
    .option('--slower <factor>', 'from which factor on a route is told to be slower', '2')
    .option(...ALLOW)
    .option('--reveal', 'show texts, phone numbers and errors; otherwise they are masked')
    .option('--json', 'one object a line on stdout: {"kind":"finding",…} …, {"kind":"score",…} at the end')
    .addHelpText('after', COMPARE_HELP)
    .action((recording, command, flags) => compare(io, recording, command, flags))
}

const COMPARE_HELP = `
Exit codes: 0 all is the same, 1 something differs, 2 usage, or the app could not be played.

Example:
  $ switchhook backtest compare before.json -- node bot.ts
`
