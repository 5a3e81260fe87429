import { type Command, Option } from 'commander'
import { SEND_STATES } from '../../stores/port/index.ts'
import { example, readCount, readCustomer } from '../support/arguments.ts'
import { DATABASE_OPTION } from '../support/database.ts'
import type { Io } from '../support/io.ts'
import { list } from './list.ts'
import { hold, resolve, resume } from './resolve.ts'
import { show } from './show.ts'

const LISTED = 50

/** Declares `switchhook outbox …`, an operator's commands on sends. The app may be running. */
export function addCommand(outbox: Command, io: Io): void {
  outbox
    .description("look after the sends in the app's database; the app may be running")
    .addHelpText('after', example('switchhook outbox ls --state unknown'))
  addLooking(outbox, io)
  addResolve(outbox, io)
  addResume(outbox, io)
  addHold(outbox, io)
}

function addLooking(outbox: Command, io: Io): void {
  outbox
    .command('ls')
    .description('list sends, newest first, below closed queues')
    .option(...DATABASE_OPTION)
    .addOption(new Option('--state <state>', 'only those in this state').choices(SEND_STATES))
    .option('--number <name>', 'only those of this number')
    .option('--customer <digits>', 'only those to this customer', readCustomer)
    .option('--limit <n>', 'how many at most', readCount, LISTED)
    .option('--reveal', 'show phone numbers and texts')
    .option('--json', 'one object a line on stdout: {"kind":"queue",…} and {"kind":"send",…}')
    .addHelpText('after', example('switchhook outbox ls --state held --number retail'))
    .action((flags) => list(io, flags))
  outbox
    .command('show')
    .description(
      'show everything about one send: its attempts, statuses and bodies, the reason for its state, what can be done',
    )
    .argument('<id>', 'its id, as `outbox ls` shows it')
    .option(...DATABASE_OPTION)
    .option('--reveal', 'show the phone number and the texts')
    .option('--json', 'one line of JSON on stdout')
    .addHelpText('after', example('switchhook outbox show 01JNG3C0V2K7G0ZP6T2J5M8Q4R'))
    .action((id, flags) => show(io, id, flags))
}

function addResolve(outbox: Command, io: Io): void {
  outbox
    .command('resolve')
    .description('decide on a send: an unknown one arrived or not; a held or unsent one goes out or not')
    .argument('<id>', 'its id, as `outbox ls` shows it')
    .option(...DATABASE_OPTION)
    .option('--accepted', 'it did arrive')
    .option('--resend', 'the same bytes go out again under the same key; an unknown send may then arrive twice')
    .option('--drop', 'it is settled for good and never sent, even if the app sends under its key again')
    .option('--json', 'one line of JSON on stdout: {"id":"…","was":"unknown","state":"accepted",…}')
    .addHelpText('after', example('switchhook outbox resolve 01JNG3C0V2K7G0ZP6T2J5M8Q4R --accepted'))
    .action((id, flags) => resolve(io, id, flags))
}

function addResume(outbox: Command, io: Io): void {
  outbox
    .command('resume')
    .description(
      'try closed queues at once, and release sends that are held since the database was restored from a backup',
    )
    .argument('[number]', 'only of this number')
    .option(...DATABASE_OPTION)
    .option('--json', 'one line of JSON on stdout: {"queues":["retail"],"held":3,"restored":0}')
    .addHelpText('after', example('switchhook outbox resume retail'))
    .action((number, flags) => resume(io, number, flags))
}

function addHold(outbox: Command, io: Io): void {
  outbox
    .command('hold')
    .description('hold all open sends, as for a database that was brought back from a backup, until `outbox resume`')
    .option(...DATABASE_OPTION)
    .option('--json', 'one line of JSON on stdout: {"held":3}')
    .addHelpText('after', example('switchhook outbox hold'))
    .action((flags) => hold(io, flags))
}
