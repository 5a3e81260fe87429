import { type Command, Option } from 'commander'
import { INBOX_STATES } from '../../stores/port/index.ts'
import { example, readCount, readCustomer } from '../support/arguments.ts'
import { DATABASE_OPTION } from '../support/database.ts'
import { exportFixtures } from './export.ts'
import { forget } from './forget.ts'
import { list } from './list.ts'
import { prune } from './prune.ts'
import { retry } from './retry.ts'
import { show } from './show.ts'
import { tail, type TailFlags } from './tail.ts'
import type { Io } from '../support/io.ts'

const LISTED = 50

const REVEAL = ['--reveal', "show customers' digits, what was said, and what handlers' errors say"] as const

/** Declares `switchhook inbox …`, an operator's commands on deliveries. The app may be running. */
export function addInbox(program: Command, io: Io): void {
  const inbox = program
    .command('inbox')
    .description("look after the deliveries in the app's database; the app may be running")
    .addHelpText('after', example('switchhook inbox ls --state dead'))
  addList(inbox, io)
  addLooking(inbox, io)
  addRetry(inbox, io)
  addExport(inbox, io)
  addErasing(inbox, io)
}

function addList(inbox: Command, io: Io): void {
  filtered(inbox.command('ls'))
    .description('list deliveries, the newest first, below a count of what needs a person')
    .option(...DATABASE_OPTION)
    .addOption(new Option('--state <state>', 'those in this state alone, or with an item in it').choices(INBOX_STATES))
    .option('--limit <n>', 'how many at most', readCount, LISTED)
    .option(...REVEAL)
    .option('--json', 'one object a line on stdout: {"kind":"waiting",…} and {"kind":"delivery",…}')
    .addHelpText('after', example('switchhook inbox ls --event message.received --since 1h'))
    .action((flags) => list(io, flags))
}

/** Adds the filters of `ls` and `retry`. */
function filtered(command: Command): Command {
  return command
    .option('--event <name>', 'those of this event alone')
    .option('--customer <digits>', 'those of this customer alone', readCustomer)
    .option('--number <name>', 'those of this number alone')
    .option('--since <span>', 'those that came within this span alone, such as 90s, 1h or 7d')
}

function addLooking(inbox: Command, io: Io): void {
  inbox
    .command('show')
    .description('everything about one delivery: its items and their facts, why they stand there, its sends, its body')
    .argument('<id>', 'its number (SEQ) or its id, as `inbox ls` shows them')
    .option(...DATABASE_OPTION)
    .option(...REVEAL)
    .option('--json', 'one line of JSON on stdout for each delivery that came under the id')
    .addHelpText('after', example('switchhook inbox show 1207'))
    .action((idOrSeq, flags) => show(io, idOrSeq, flags))
  inbox
    .command('tail')
    .description('follow what comes and what becomes of it, a line each, until it is interrupted')
    .option(...DATABASE_OPTION)
    .option(...REVEAL)
    .option('--json', 'one object a line on stdout: {"at":"…","seq":1207,"what":"received",…}')
    .addHelpText('after', example('switchhook inbox tail'))
    .action(async (flags: TailFlags) => {
      io.exitCode = await tail(io, flags)
    })
}

function addRetry(inbox: Command, io: Io): void {
  filtered(inbox.command('retry'))
    .description('put back what is at rest: dead items are handled again, all else is sorted once more first')
    .argument('[ids...]', 'numbers (SEQ) or ids of deliveries, as `inbox ls` shows them')
    .option(...DATABASE_OPTION)
    .option('--dead', 'what its handlers gave up')
    .option('--parked', 'what lacked a fact; with --customer alone, both')
    .option('--quarantined', 'what could not be understood')
    .option('--conflict', 'other bytes under a known id')
    .option('--suspected-replay', 'known bytes under another id or event')
    .option('--ignored', 'what nobody listened to')
    .option('--json', 'one line of JSON on stdout: {"items":2,"deliveries":1,"untouched":[{"seq":9,…}]}')
    .addHelpText('after', example('switchhook inbox retry --dead --since 1h'))
    .action((ids, flags) => retry(io, ids, flags))
}

function addExport(inbox: Command, io: Io): void {
  inbox
    .command('export')
    .description('write recorded deliveries as fixtures for tests, a line each: {"event":"…","payload":{…}}')
    .option(...DATABASE_OPTION)
    .option('--event <name>', 'those of this event alone')
    .option('--since <span>', 'those that came within this span alone, such as 90s, 1h or 7d')
    .option('--out <file>', 'where they go, a file that is not there yet (default: stdout)')
    .option('--reveal', 'as they came; else phone numbers, texts and ids are replaced, the same by the same')
    .option('--json', 'with --out, one line of JSON on stdout: {"out":"…","written":12,"leftOut":0}')
    .addHelpText('after', example('switchhook inbox export --since 1d --out test/fixtures.jsonl'))
    .action((flags) => exportFixtures(io, flags))
}

function addErasing(inbox: Command, io: Io): void {
  inbox
    .command('prune')
    .description('remove now what the upkeep removes by age; nothing that waits, or that waits for a person')
    .option(...DATABASE_OPTION)
    .option(
      '--older-than <span>',
      "what was settled longer ago goes; the app's own `retention` is not known here",
      '30d',
    )
    .option('--bytes-older-than <span>', 'what was settled longer ago loses its bytes and facts', '7d')
    .option('--dry-run', 'change nothing, and say how much it would be')
    .option('--json', 'one line of JSON on stdout: {"dryRun":false,"wiped":12,"removed":3,"whole":true}')
    .addHelpText('after', example('switchhook inbox prune --dry-run'))
    .action((flags) => prune(io, flags))
  inbox
    .command('forget')
    .description('erase what is kept of a customer: messages, sends, session, window; ids stay as long as any')
    .argument('<digits>', "the customer's phone number", readCustomer)
    .option(...DATABASE_OPTION)
    .option('--number <name>', 'on this number alone')
    .option('--yes', 'do not ask; needed where there is no terminal')
    .option('--json', 'one line of JSON on stdout: {"customer":"…101","erased":{"items":3,…},"left":0,"whole":true}')
    .addHelpText('after', example('switchhook inbox forget 255712000101 --yes'))
    .action((customer, flags) => forget(io, customer, flags))
}
