import type { Command } from 'commander'
import { Observations, readBody } from '../../payload/index.ts'
import type { SeenPayloads } from '../../stores/port/index.ts'
import type { Reader } from '../../stores/port/reader.ts'
import { example } from '../support/arguments.ts'
import { shownDatabase } from '../../stores/postgres/address.ts'
import { DATABASE_OPTION, databaseOf, type DatabaseFlags, withReader } from '../support/database.ts'
import type { Io } from '../support/io.ts'
import { readingRules } from '../support/reading-rules.ts'
import { recordedIn } from '../support/recordings.ts'
import { reportText } from './report-text.ts'
import { reportOf } from '../../inspect/payload-report.ts'

export function addReport(payload: Command, io: Io): void {
  payload
    .command('report')
    .description('say where the facts of each event were found, how surely, and what is in doubt; no value is shown')
    .option(...DATABASE_OPTION)
    .option('--event <name>', 'only this event')
    .option('--recorded', 'count the deliveries whose bytes are kept, as they would be read now, and not all that came')
    .option('--json', 'one line of JSON on stdout: {"events": [{"event": "…", "messages": 12, "facts": […], …}]}')
    .addHelpText('after', example('switchhook payload report'))
    .action((flags: ReportFlags) => report(io, flags))
}

interface ReportFlags extends DatabaseFlags {
  readonly event?: string
  readonly recorded?: boolean
}

async function report(io: Io, flags: ReportFlags): Promise<void> {
  const seen = await withReader(io, flags, (reader) =>
    flags.recorded ? readRecorded(io, reader, flags) : reader.seenPayloads(),
  )
  const events = reportOf(seen).filter(({ event }) => event === (flags.event ?? event))
  if (flags.json) io.out(JSON.stringify({ events }))
  else if (events.length > 0) io.out(reportText(events).join('\n'))
  else
    io.err(
      `No payload is counted in ${shownDatabase(databaseOf(io, flags))}: let the app receive deliveries first; a running app stores its counts within a minute.`,
    )
}

/** Counts recorded deliveries as the app would read them now, as far as its rules are known. */
async function readRecorded(io: Io, reader: Reader, { event }: ReportFlags): Promise<SeenPayloads> {
  const rules = await readingRules(reader)
  const seen = new Observations()
  const counted: SeenPayloads = { shapes: [], facts: [] }
  for await (const delivery of recordedIn(reader, event === undefined ? {} : { event })) {
    const context = { event: delivery.event, deliveryId: undefined, now: Date.now() }
    const reading = readBody(delivery.body, { ...context, mapping: rules.mappingOf(delivery.event) })
    if (!('refused' in reading)) seen.add(delivery.event, reading, 0)
  }
  return seen.isEmpty ? counted : seen.take()
}
