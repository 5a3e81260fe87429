import { type Command, Option } from 'commander'
import { optionsInvalid } from '../../base/errors.ts'
import { iso } from '../../view/delivery-view.ts'
import type { Reveal } from '../../view/mask.ts'
import { commandsFor, reasonFor, remedyFor } from '../../view/send-states.ts'
import { detailsOf, summaryOf } from '../../view/send-view.ts'
import type { Reader, ResultOf } from '../../store/store.ts'
import { resolutionsOf, type Resolution } from '../../store/outbox/send-resolutions.ts'
import { example, readCount, readCustomer } from './support/arguments.ts'
import { named, sendPages } from './inbox/select.ts'
import { advice } from './support/advice.ts'
import { DATABASE_OPTION, type DatabaseFlags, withReader, withStore } from './support/open-database.ts'
import type { Io } from './support/io.ts'
import { type Column, printList, printRecord, printResult } from './support/output.ts'
import type { ClosedThrottle } from '../../store/outbox/send-rules.ts'
import { SEND_STATES, type SendRow, type SendState } from '../../store/database/outbox-tables.ts'

const LISTED = 50

export function addCommand(outbox: Command, io: Io): void {
  outbox
    .description("manage the sends in the app's database; the app may be running")
    .addHelpText('after', example('switchhook outbox ls --state unknown'))
  outbox
    .command('ls')
    .description('list sends, newest first, below closed queues')
    .option(...DATABASE_OPTION)
    .addOption(new Option('--state <state>', 'only those in this state').choices(SEND_STATES))
    .option('--number <name>', 'only those of this number')
    .option('--customer <digits>', 'only those to this customer', readCustomer)
    .option('--limit <n>', 'the most rows to list', readCount, LISTED)
    .option('--reveal', 'show phone numbers and texts')
    .option('--json', 'one object a line on stdout: {"kind":"queue",…} and {"kind":"send",…}')
    .addHelpText('after', example('switchhook outbox ls --state held --number retail'))
    .action((flags) => list(io, flags))
  outbox
    .command('show')
    .description('show everything about one send, why it is in its state, and what can be done')
    .argument('<id>', 'its id, as `outbox ls` shows it')
    .option(...DATABASE_OPTION)
    .option('--reveal', 'show the phone number and the texts')
    .option('--json', 'one line of JSON on stdout')
    .addHelpText('after', example('switchhook outbox show 01JNG3C0V2K7G0ZP6T2J5M8Q4R'))
    .action((id, flags) => show(io, id, flags))
  outbox
    .command('resolve')
    .description('decide about a send: whether an unknown one arrived, or whether a held or unsent one goes out')
    .argument('<id>', 'its id, as `outbox ls` shows it')
    .option(...DATABASE_OPTION)
    .option('--accepted', 'it did arrive')
    .option('--resend', 'the same bytes go out again under the same key; an unknown send may then arrive twice')
    .option('--drop', 'it is settled for good and never sent, even if the app sends under its key again')
    .option('--json', 'one line of JSON on stdout: {"id":"…","was":"unknown","state":"accepted",…}')
    .addHelpText('after', example('switchhook outbox resolve 01JNG3C0V2K7G0ZP6T2J5M8Q4R --accepted'))
    .action((id, flags) => resolve(io, id, flags))
  outbox
    .command('resume')
    .description('try closed queues at once, and release the sends that `outbox hold` or a restored backup holds')
    .argument('[number]', 'only of this number')
    .option(...DATABASE_OPTION)
    .option('--json', 'one line of JSON on stdout: {"queues":["retail"],"held":3,"restored":0}')
    .addHelpText('after', example('switchhook outbox resume retail'))
    .action((number, flags) => resume(io, number, flags))
  outbox
    .command('hold')
    .description('hold all open sends, as after a restored backup, until `outbox resume`')
    .option(...DATABASE_OPTION)
    .option('--json', 'one line of JSON on stdout: {"held":3}')
    .addHelpText('after', example('switchhook outbox hold'))
    .action((flags) => hold(io, flags))
}

interface ListFlags extends DatabaseFlags, Reveal {
  readonly state?: SendState
  readonly number?: string
  readonly customer?: string
  readonly limit: number
}

async function list(io: Io, flags: ListFlags): Promise<void> {
  await withReader(io, flags, async (reader) => {
    const now = Date.now()
    const throttles = (await reader.closedThrottles(now)).filter(({ number }) => (flags.number ?? number) === number)
    await printList(
      io,
      flags,
      throttles.map((throttle) => queueOf(throttle, flags)),
      ['number', 'state', 'since', 'until', 'code', 'reason', 'toDo'],
    )
    if (reader.restored) {
      const { held } = reader.restored
      const what = `The database is a restored backup. It holds ${held} of its sends, its timers, and new sends of earlier deliveries`
      printResult(
        io,
        flags,
        { kind: 'restored', held },
        `${what}: compare the sends with what was sent, then run \`switchhook outbox resume\`.`,
      )
    }
    const columns = flags.reveal ? [...COLUMNS, 'body' as const] : COLUMNS
    await printList(io, flags, chosen(reader, flags, now), columns, { none: 'No matching send.', limit: flags.limit })
  })
}

type Summary = ReturnType<typeof summaryOf>

const COLUMNS: readonly Column<Summary>[] = [
  'id',
  'state',
  'number',
  'customer',
  'via',
  'createdAt',
  'dueAt',
  'attempts',
  'code',
  'ref',
  'possiblyTwice',
]

async function* chosen(reader: Reader, flags: ListFlags, now: number): AsyncGenerator<Summary> {
  const { state, number, customer, limit } = await named(reader, flags)
  for await (const page of sendPages(reader, { state, number, customer }, limit))
    for (const send of page) yield summaryOf(send, now, flags)
}

/** The command shows a number's closed throttle as a queue. */
function queueOf(throttle: ClosedThrottle, flags: DatabaseFlags) {
  const { number, stopped, since, closedUntil, code, reason } = throttle
  return {
    kind: 'queue',
    number,
    state: stopped ? 'stopped' : 'pausing',
    since: iso(since),
    until: stopped ? undefined : iso(closedUntil),
    code,
    reason,
    toDo: advice(flags, remedyFor(throttle)),
  }
}

async function show(io: Io, id: string, flags: DatabaseFlags & Reveal): Promise<void> {
  await withReader(io, flags, async (reader) => {
    const now = Date.now()
    const send = await reader.findSend({ id })
    if (!send) throw unknownSend(id)
    const throttle = (await reader.closedThrottles(now)).find(({ number }) => number === send.number)
    const details = detailsOf(send, await reader.statusesOf(send), now, flags)
    const toDo = advice(flags, commandsFor(id, details.possible))
    await printRecord(io, flags, { ...details, why: advice(flags, reasonFor(send, throttle)), toDo })
  })
}

function unknownSend(id: string): Error {
  return new Error(`no send has the id ${JSON.stringify(id)}: \`switchhook outbox ls\` shows the ids`)
}

type ResolveFlags = DatabaseFlags & Partial<Record<Resolution, boolean>>

const RESOLUTIONS: readonly Resolution[] = ['accepted', 'resend', 'drop']

async function resolve(io: Io, id: string, flags: ResolveFlags): Promise<void> {
  const [as, ...more] = RESOLUTIONS.filter((one) => flags[one])
  if (as === undefined || more.length > 0) throw optionsInvalid('pass one of --accepted, --resend and --drop')
  const resolved = await withStore(io, flags, (store) => store.resolveSend(id, as, store.clock()))
  if (!resolved) throw unknownSend(id)
  if (!resolved.done) throw notPossible(resolved.send, as)
  const { send, was } = resolved
  const { state, possiblyTwice, code } = send
  printResult(io, flags, { id, was, state, possiblyTwice, code }, `${id} was ${was}; ${resolvedText(resolved)}.`)
}

function notPossible(send: SendRow, as: Resolution): Error {
  const code =
    as === 'resend' && send.withheld
      ? ', a one-time code: it is not stored and cannot go out again, so issue a new one'
      : ''
  const possible = commandsFor(send.id, resolutionsOf(send))
  return new Error(`--${as} is not possible: ${send.id} is ${send.state}${code}. Possible: ${possible}`)
}

function resolvedText({ send }: Pick<NonNullable<ResultOf<'resolveSend'>>, 'send'>): string {
  if (send.state === 'accepted') return 'it counts as accepted'
  if (send.state === 'dropped') return 'it is settled for good and is never sent'
  const marked = send.possiblyTwice ? ', marked as possibly sent twice' : ''
  if (send.state === 'scheduled') return `it goes out when it is due${marked}`
  if (send.state === 'held') return `it goes out once the queue of ${send.number} continues (${send.code})${marked}`
  return `it goes out now, once the app runs${marked}`
}

async function resume(io: Io, number: string | undefined, flags: DatabaseFlags): Promise<void> {
  const resumed = await withStore(io, flags, (store) => store.resumeSends({ restored: true, number }))
  const { throttles, held, restored } = resumed
  printResult(io, flags, { queues: throttles, held, restored }, ...resumedTexts(resumed, number))
}

function resumedTexts({ throttles, held, restored }: ResultOf<'resumeSends'>, number: string | undefined): string[] {
  const lines = [
    ...(restored > 0 ? [`Sends of the restored database that go out, as possibly sent twice: ${restored}.`] : []),
    ...(throttles.length > 0 ? [`Queues that are tried with one send each: ${throttles.join(', ')}.`] : []),
    ...(held > 0 ? [`Held sends that go out if that send is accepted: ${held}.`] : []),
  ]
  if (lines.length === 0) return [`Nothing was held${number === undefined ? '' : ` for ${number}`}.`]
  return [...lines, 'The app sends them within a second, or when it starts.']
}

async function hold(io: Io, flags: DatabaseFlags): Promise<void> {
  const held = await withStore(io, flags, async ({ restored }) => restored?.held ?? 0, { restored: true })
  const what = `Held sends: ${held}. New sends by handlers of earlier deliveries are held too.`
  printResult(io, flags, { held }, what, 'To release them: switchhook outbox resume')
}
