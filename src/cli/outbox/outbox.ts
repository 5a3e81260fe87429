import { type Command, Option } from 'commander'
import { SEND_STATES } from '../../stores/port/index.ts'
import { example, readCount, readCustomer } from '../support/arguments.ts'
import { DATABASE_OPTION } from '../support/database.ts'
import { list } from './list.ts'
import { resolve, resume } from './resolve.ts'
import { show } from './show.ts'
import type { Io } from '../support/io.ts'

const LISTED = 50

/** Declares `switchhook outbox …`, an operator's commands on sends. The app may be running. */
export function addOutbox(program: Command, io: Io): void {
  const outbox = program
    .command('outbox')
    .description("look after the sends in the app's database; the app may be running")
    .addHelpText('after', example('switchhook outbox ls --state unknown'))
  addLooking(outbox, io)
  addResolve(outbox, io)
  addResume(outbox, io)
}

function addLooking(outbox: Command, io: Io): void {
  outbox
    .command('ls')
    .description('list sends, the newest first, below the queues that are closed')
    .option(...DATABASE_OPTION)
    .addOption(new Option('--state <state>', 'those in this state alone').choices(SEND_STATES))
    .option('--number <name>', 'those of this number alone')
    .option('--customer <digits>', 'those to this customer alone', readCustomer)
    .option('--limit <n>', 'how many at most', readCount, LISTED)
    .option('--reveal', "show customers' digits and what was said")
    .option('--json', 'one object a line on stdout: {"kind":"queue",…} and {"kind":"send",…}')
    .addHelpText('after', example('switchhook outbox ls --state held --number retail'))
    .action((flags) => list(io, flags))
  outbox
    .command('show')
    .description('everything about one send: its attempts, statuses and bodies, why it stands there, what can be done')
    .argument('<id>', 'its id, as `outbox ls` shows it')
    .option(...DATABASE_OPTION)
    .option('--reveal', "show the customer's digits and what was said")
    .option('--json', 'one line of JSON on stdout')
    .addHelpText('after', example('switchhook outbox show 01JNG3C0V2K7G0ZP6T2J5M8Q4R'))
    .action((id, flags) => show(io, id, flags))
}

function addResolve(outbox: Command, io: Io): void {
  outbox
    .command('resolve')
    .description('say what became of a send that is unknown, or what is to become of one that is held or was not sent')
    .argument('<id>', 'its id, as `outbox ls` shows it')
    .option(...DATABASE_OPTION)
    .option('--accepted', 'it did arrive')
    .option('--resend', 'the same bytes go out again under the same key; they may arrive twice where they were unknown')
    .option('--drop', 'it is settled for good and never sent, whatever the app asks for under its key')
    .option('--json', 'one line of JSON on stdout: {"id":"…","was":"unknown","state":"accepted",…}')
    .addHelpText('after', example('switchhook outbox resolve 01JNG3C0V2K7G0ZP6T2J5M8Q4R --accepted'))
    .action((id, flags) => resolve(io, id, flags))
}

function addResume(outbox: Command, io: Io): void {
  outbox
    .command('resume')
    .description('try closed queues at once, and let go what is held since the database came back from a backup')
    .argument('[number]', 'of this number alone')
    .option(...DATABASE_OPTION)
    .option('--json', 'one line of JSON on stdout: {"queues":["retail"],"held":3,"restored":0}')
    .addHelpText('after', example('switchhook outbox resume retail'))
    .action((number, flags) => resume(io, number, flags))
}
