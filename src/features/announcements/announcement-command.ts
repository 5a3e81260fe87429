import { type Command, InvalidArgumentError, Option } from 'commander'
import { announcementOf, CSV_HEAD, csvOf, recipientOf, reportOf } from './announcement-view.ts'
import { countAllReached, recipientPages } from './progress.ts'
import type { Reveal } from '../../view/mask.ts'
import type { AnnouncementRow } from './store/announcement-rows.ts'
import { RECIPIENT_STATES, type RecipientState } from './store/recipients.ts'
import type { Reader, Store } from '../../store/store.ts'
import { example, readCount } from '../../kit/cli/support/arguments.ts'
import { type Io, printLine } from '../../kit/cli/support/io.ts'
import { DATABASE_OPTION, type DatabaseFlags, withReader, withStore } from '../../kit/cli/support/open-database.ts'
import { type Column, printList, printRecord, printResult } from '../../kit/cli/support/output.ts'

const LISTED = 50
const ID = ['<id>', 'its number, as `announcement ls` shows it', readId] as const
const STATE = ['--state <state>', 'only recipients in this state'] as const
const REVEAL = ['--reveal', 'show phone numbers and the columns of the list'] as const

export function addCommand(announcement: Command, io: Io): void {
  const add = (name: string, description: string, shown: string) =>
    announcement
      .command(name)
      .description(description)
      .option(...DATABASE_OPTION)
      .addHelpText('after', example(`switchhook announcement ${shown}`))
  announcement
    .description("manage the announcements in the app's database; the app may be running")
    .addHelpText('after', example('switchhook announcement ls'))
  add('ls', 'list announcements, newest first', 'ls')
    .option('--limit <n>', 'the most rows to list', readCount, LISTED)
    .option('--reveal', 'show phone numbers in keys')
    .option('--json', 'one object a line on stdout')
    .action((flags) => list(io, flags))
  add('show', 'show how far one is, and what became of its recipients', 'show 7 --state failed')
    .argument(...ID)
    .addOption(new Option(...STATE).choices(RECIPIENT_STATES))
    .option('--limit <n>', 'the most recipients to list', readCount, LISTED)
    .option(...REVEAL)
    .option('--json', 'one object a line on stdout: the announcement, then its recipients')
    .action((id, flags) => show(io, id, flags))
  for (const { name, to, description } of CHANGES)
    add(name, description, `${name} 7`)
      .argument(...ID)
      .option('--json', 'one line of JSON on stdout: {"id":7,"state":"…"}')
      .action((id, flags) => change(io, id, to, flags))
  add(
    'retry',
    'send again to recipients who were refused; those who have the message do not get it twice',
    'retry 7 --reason template_not_found',
  )
    .argument(...ID)
    .option(
      '--reason <code...>',
      'only these reasons; unknown and restored must be named, since they may have been sent',
    )
    .option('--failed-later', 'also those that the service accepted and that failed afterwards, once each')
    .option('--json', 'one line of JSON on stdout: {"id":7,"waiting":3}')
    .action((id, flags) => retry(io, id, flags))
  add('export', 'write what became of each recipient as CSV on stdout', 'export 7 --reveal > who-got-it.csv')
    .argument(...ID)
    .addOption(new Option(...STATE).choices(RECIPIENT_STATES))
    .option(...REVEAL)
    .option('--json', 'one object a line on stdout, in place of CSV')
    .action((id, flags) => exportAll(io, id, flags))
}

const CHANGES = [
  { name: 'pause', to: 'paused', description: 'send no more for now; messages that are under way still go out' },
  { name: 'resume', to: 'running', description: 'continue a paused one; after an error with one recipient first' },
  { name: 'cancel', to: 'cancelled', description: 'send no more, for good' },
] as const

function readId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected the number of an announcement, as `announcement ls` shows it.')
}

interface ListFlags extends DatabaseFlags, Reveal {
  readonly limit: number
}

const COLUMNS: readonly Column<ReturnType<typeof announcementOf>>[] = [
  'id',
  'state',
  'number',
  'key',
  'total',
  'waiting',
  'doubtful',
  'sent',
  'failed',
  'skipped',
  'unknown',
  'createdAt',
  'reason',
]

async function list(io: Io, flags: ListFlags): Promise<void> {
  await withReader(io, flags, async (reader) => {
    const { announcements } = await reader.listAnnouncements({ limit: flags.limit })
    const rows = announcements.map((row) => announcementOf(row, flags))
    await printList(io, flags, rows, COLUMNS, { none: 'No announcement.', limit: flags.limit })
  })
}

interface ShowFlags extends ListFlags {
  readonly state?: RecipientState
}

const RECIPIENT_COLUMNS = ['to', 'state', 'reason', 'at'] as const

async function show(io: Io, id: number, flags: ShowFlags): Promise<void> {
  await withReader(io, flags, async (reader) => {
    const row = await found(reader, id)
    const reached = () => countAllReached(reader, id)
    const report = await reportOf(row, { reached, serviceNow: Date.now }, flags)
    await printRecord(io, flags, { ...report, progress: flags.json ? undefined : barOf(report, io) })
    const rows = recipients(reader, id, flags, flags.limit)
    await printList(io, flags, rows, RECIPIENT_COLUMNS, { none: 'No matching recipient.', limit: flags.limit })
  })
}

const BAR = 40

function barOf({ total, waiting, doubtful }: { total: number; waiting: number; doubtful: number }, { stdout }: Io) {
  if (stdout.isTTY !== true || total === 0) return undefined
  const done = (total - waiting - doubtful) / total
  const full = Math.round(done * BAR)
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${Math.floor(done * 100)} %`
}

async function* recipients(
  reader: Reader,
  id: number,
  { state, reveal }: Pick<ShowFlags, 'state' | 'reveal'>,
  limit?: number,
): AsyncGenerator<ReturnType<typeof recipientOf>, undefined> {
  for await (const page of recipientPages(reader, id, { state, limit }))
    for (const row of page) yield recipientOf(row, { reveal })
  return undefined
}

async function found(reader: Pick<Store, 'announcement'>, id: number): Promise<AnnouncementRow> {
  const row = await reader.announcement(id)
  if (row) return row
  throw new Error(`no announcement has the number ${id}: \`switchhook announcement ls\` shows them`)
}

async function change(io: Io, id: number, to: (typeof CHANGES)[number]['to'], flags: DatabaseFlags): Promise<void> {
  const state = await withStore(io, flags, async (store) => {
    const { state: was } = await found(store, id)
    if (!(await store.changeAnnouncement(id, to, { now: store.clock() })))
      throw new Error(`the announcement ${id} is ${was}, so it cannot be ${to}`)
    return (await found(store, id)).state
  })
  const then = state === 'running' ? ' The app sends within seconds, or when it starts.' : ''
  printResult(io, flags, { id, state }, `The announcement ${id} is ${state}.${then}`)
}

interface RetryFlags extends DatabaseFlags {
  readonly reason?: readonly string[]
  readonly failedLater?: boolean
}

async function retry(io: Io, id: number, flags: RetryFlags): Promise<void> {
  const waiting = await withStore(io, flags, async (store) => {
    await found(store, id)
    return store.retryRecipients(id, { reasons: flags.reason, failedLater: flags.failedLater })
  })
  printResult(io, flags, { id, waiting }, `Recipients who wait again: ${waiting}.`)
}

interface ExportFlags extends DatabaseFlags, Reveal {
  readonly state?: RecipientState
}

async function exportAll(io: Io, id: number, flags: ExportFlags): Promise<void> {
  await withReader(io, flags, async (reader) => {
    await found(reader, id)
    if (!flags.json) await printLine(io, CSV_HEAD)
    for await (const one of recipients(reader, id, flags))
      await printLine(io, flags.json ? JSON.stringify(one) : csvOf(one))
  })
}
