import type { Command } from 'commander'
import { type EventReport, howOf, INDEX, reportPayloads } from '../../inspect/payload-report.ts'
import { example } from '../support/arguments.ts'
import { DATABASE_OPTION, type DatabaseFlags, nothingRecorded, withReader } from '../support/database.ts'
import type { Io } from '../support/io.ts'
import { oneLine, table } from '../support/output.ts'
import { mappingText } from './mapping-text.ts'

export function addReport(payload: Command, io: Io): void {
  payload
    .command('report')
    .description('list the shapes of received payloads, with all paths and types, and print a `facts` object to paste')
    .option(...DATABASE_OPTION)
    .option('--event <name>', 'only this event')
    .option('--json', 'one line of JSON on stdout: {"events": [{"event": "…", "deliveries": 12, "shapes": […], …}]}')
    .addHelpText('after', example('switchhook payload report'))
    .action((flags: ReportFlags) => report(io, flags))
}

interface ReportFlags extends DatabaseFlags {
  readonly event?: string
}

async function report(io: Io, { event, ...flags }: ReportFlags): Promise<void> {
  const events = await withReader(io, flags, (reader) => reportPayloads(reader, event === undefined ? {} : { event }))
  if (flags.json) io.out(JSON.stringify({ events }))
  else if (events.length > 0) io.out([...events.flatMap(blockOf), ...mappingText(events)].join('\n'))
  else throw nothingRecorded(io, flags)
}

function blockOf({ event, deliveries, shapes }: EventReport): string[] {
  return [
    `${oneLine(event)}: ${count(deliveries, 'delivery', 'deliveries')}, ${count(shapes.length, 'shape', 'shapes')}`,
    ...shapes.flatMap((shape) => {
      const facts = Object.entries(shape.facts)
      const rows = shape.paths.map(({ path, types }) => {
        const found = facts.filter(([, fact]) => fact.path.replaceAll(INDEX, '[]') === path)
        return [
          `  ${oneLine(path)}`,
          types.join(' | '),
          found.map(([name, fact]) => `${name} (${howOf(fact)})`).join(', '),
        ]
      })
      return [
        '',
        `shape ${shape.fingerprint}, ${count(shape.deliveries, 'delivery', 'deliveries')}${shape.truncated ? ', larger than shown' : ''}`,
        ...table([['  PATH', 'TYPE', 'FACT'], ...rows]),
        ...shape.doubts.map((doubt) => `  ${oneLine(doubt)}`),
      ]
    }),
    '',
  ]
}

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`
}
