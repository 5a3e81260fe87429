import type { Command } from 'commander'
import { counted } from '../../../view/delivery-states.ts'
import { type EventReport, howOf, reportPayloads } from '../../../view/payload-report.ts'
import { advice } from '../support/advice.ts'
import { example } from '../support/arguments.ts'
import { DATABASE_OPTION, type DatabaseFlags, nothingRecorded, withReader } from '../support/open-database.ts'
import type { Io } from '../support/io.ts'
import { oneLine, printList } from '../support/output.ts'
import { addExport } from './export.ts'

export function addCommand(payload: Command, io: Io): void {
  payload.addHelpText('after', example('switchhook payload report'))
  addReport(payload, io)
  addExport(payload, io)
}

function addReport(payload: Command, io: Io): void {
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
  const events = await withReader(io, flags, (reader) => reportPayloads(reader, { event }))
  if (flags.json) return io.out(JSON.stringify({ events }))
  if (events.length === 0) throw nothingRecorded(io, flags)
  for (const each of events) await printEvent(io, each)
  io.out(advice(flags, mappingText(events).join('\n')))
}

async function printEvent(io: Io, { event, deliveries, shapes }: EventReport): Promise<void> {
  io.out(`${oneLine(event)}: ${counted(deliveries)}, ${counted(shapes.length, 'shape', 'shapes')}`)
  for (const { fingerprint, deliveries: of, truncated, paths, facts, notes, doubts } of shapes) {
    io.out(`\nshape ${fingerprint}, ${counted(of)}${truncated ? ', larger than shown' : ''}`)
    const rows = paths.map(({ path, types }) => {
      const found = Object.entries(facts).filter(([, fact]) => fact.path === path)
      const fact = found.map(([name, one]) => `${name} (${howOf(one)})`).join(', ')
      return { path, type: types.join(' | '), fact }
    })
    await printList(io, {}, rows, ['path', 'type', 'fact'])
    for (const line of [...notes, ...doubts]) io.out(oneLine(line))
  }
  io.out('')
}

// ── the mapping to paste ─────────────────────────────────────────────────────────────────────────

const NEEDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'message.received': {
    customer: "the customer's phone number",
    messageId: "the message's id",
    kind: 'the kind of the message, such as text or image',
    at: 'when the customer wrote it',
  },
  'message.status': {
    customer: "the customer's phone number",
    messageId: 'the id of the sent message',
    status: 'the status, such as delivered',
    at: 'when the status changed',
  },
}

const MORE: Readonly<Record<string, readonly string[]>> = {
  'message.received': ['text', 'tapped.id', 'tapped.title', 'media.url', 'media.caption'],
  'message.status': ['failureReason'],
}

function mappingText(events: readonly EventReport[]): string[] {
  const mapped = events.flatMap(({ event, functions, shapes }) => {
    const lines = linesOf(event, functions, shapes)
    return lines.length === 0 ? [] : [`    ${quoted(event)}: {`, ...lines.map((line) => `      ${line}`), '    },']
  })
  return [
    'To map the facts, paste this into your bot. Complete the empty paths and check the guesses:',
    '',
    'createBot({',
    '  facts: {',
    ...mapped,
    '  },',
    '})',
    '',
    'Next: restart the bot with these facts, then run',
    '  switchhook inbox retry --parked',
  ]
}

function linesOf(event: string, functions: readonly string[], shapes: EventReport['shapes']): string[] {
  const needed = NEEDED[event] ?? {}
  const more = MORE[event] ?? []
  const names = new Set([
    ...Object.keys(needed),
    ...more,
    ...functions,
    ...shapes.flatMap(({ facts }) => Object.keys(facts)),
  ])
  return [...names].flatMap((name) => {
    const found = shapes.flatMap(({ facts }) => facts[name] ?? [])
    const paths = [...new Set(found.map(({ path }) => path))].map(quoted)
    const key = name.includes('.') ? quoted(name) : name
    const [path] = paths
    if (functions.includes(name)) return [`// ${key}: keep your function`]
    if (path === undefined) {
      if (needed[name] !== undefined) return [`${key}: '', // not found: ${needed[name]}`]
      return more.includes(name) ? [`// ${key}: '', // not found`] : []
    }
    const how = [...new Set(found.map(howOf))].join('; ')
    return [`${key}: ${paths.length === 1 ? path : `[${paths.join(', ')}]`}, // ${how}`]
  })
}

/** A path contains names from a payload, which may come from a stranger. A quote in it must not end the text. */
function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
