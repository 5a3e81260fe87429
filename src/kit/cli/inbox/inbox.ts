import { type Command, Option } from 'commander'
import { example, readCount, readCustomer } from '../support/arguments.ts'
import { DATABASE_OPTION } from '../support/open-database.ts'
import type { Io } from '../support/io.ts'
import { forget, prune } from './erase.ts'
import { exportKept } from './export.ts'
import { list, show } from './list.ts'
import { retry } from './retry.ts'
import { INBOX_STATES } from '../../../store/database/inbox-tables.ts'

const LISTED = 50

const REVEAL = ['--reveal', "show phone numbers, texts, and the messages of handlers' errors"] as const

export function addCommand(inbox: Command, io: Io): void {
  inbox
    .description("manage the deliveries in the app's database; the app may be running")
    .addHelpText('after', example('switchhook inbox ls --state dead'))
  addViews(inbox, io)
  addActions(inbox, io)
}

function addViews(inbox: Command, io: Io): void {
  filtered(inbox.command('ls'))
    .description("list customers' messages, newest first, below a count of the deliveries that need a person")
    .option(...DATABASE_OPTION)
    .addOption(
      new Option('--state <state>', 'only those in this state, or with an item in this state').choices(INBOX_STATES),
    )
    .option('--all', 'list every delivery; --event and --state do so too')
    .option('--limit <n>', 'the most rows to list', readCount, LISTED)
    .option(...REVEAL)
    .option('--json', 'one object a line on stdout: {"kind":"waiting",…} and {"kind":"delivery",…}')
    .addHelpText('after', example('switchhook inbox ls --since 1h'))
    .action((flags) => list(io, flags))
  inbox
    .command('show')
    .description('show everything about one delivery: its items with facts and states, its sends, its body')
    .argument('<id>', 'its number (SEQ) or its id, as `inbox ls` shows them')
    .option(...DATABASE_OPTION)
    .option(...REVEAL)
    .option('--json', 'one line of JSON on stdout for each delivery with that id')
    .addHelpText('after', example('switchhook inbox show 1207'))
    .action((idOrSeq, flags) => show(io, idOrSeq, flags))
}

function filtered(command: Command): Command {
  return command
    .option('--event <name>', 'only those of this event')
    .option('--customer <digits>', 'only those of this customer', readCustomer)
    .option('--number <name>', 'only those of this number')
    .option('--since <span>', 'only those received within this span, such as 90s, 1h or 7d')
}

function addActions(inbox: Command, io: Io): void {
  filtered(inbox.command('retry'))
    .description(
      'requeue deliveries that wait for a person: dead items are handled again, others are ingested again first',
    )
    .argument('[ids...]', 'numbers (SEQ) or ids of deliveries, as `inbox ls` shows them')
    .option(...DATABASE_OPTION)
    .option('--dead', 'those whose handlers failed for good')
    .option('--parked', 'those that lack a fact')
    .option('--json', 'one line of JSON on stdout: {"items":2,"deliveries":1,"untouched":[{"seq":9,…}]}')
    .addHelpText('after', example('switchhook inbox retry --dead --since 1h'))
    .action((ids, flags) => retry(io, ids, flags))
  inbox
    .command('export')
    .description('write received deliveries as a recording, which a test can play again')
    .option(...DATABASE_OPTION)
    .option('--since <span>', 'only those received within this span, such as 90s, 1h or 7d')
    .option('--customer <digits>', 'instead everything stored about this customer, with texts, as JSON')
    .option('--out <file>', 'a new file (default: stdout)')
    .option('--reveal', 'needed for a recording: it contains phone numbers and texts')
    .option('--json', 'with --out, one line of JSON on stdout: {"out":"…","written":12,"leftOut":0}')
    .addHelpText('after', example('switchhook inbox export --since 1d --reveal --out yesterday.json'))
    .action((flags) => exportKept(io, flags))
  inbox
    .command('prune')
    .description('remove the deliveries of `switchhook verify`, even if they wait for a person')
    .option(...DATABASE_OPTION)
    .requiredOption('--verify', 'needed; maintenance removes all others by the `retention` of the app')
    .option('--json', 'one line of JSON on stdout: {"removed":150,"left":0,"whole":true}')
    .addHelpText('after', example('switchhook inbox prune --verify'))
    .action((flags) => prune(io, flags))
  inbox
    .command('forget')
    .description(
      'erase what is stored about a customer: messages, sends, session, window; ids are kept as long as other ids',
    )
    .argument('<digits>', "the customer's phone number", readCustomer)
    .option(...DATABASE_OPTION)
    .option('--yes', 'needed; without it the command prints how much it would erase')
    .option('--json', 'one line of JSON on stdout: {"customer":"…101","erased":{"items":3,…},"left":0,"whole":true}')
    .addHelpText('after', example('switchhook inbox forget 255712000101 --yes'))
    .action((customer, flags) => forget(io, customer, flags))
}
