import type { ClosedThrottle, SendRow, SendState } from '../../stores/port/index.ts'
import type { Reader } from '../../stores/port/reader.ts'
import { type DatabaseFlags, withReader } from '../support/database.ts'
import { printLine, type Io } from '../support/io.ts'
import { iso } from '../../inspect/iso.ts'
import { age, oneLine, table } from '../support/output.ts'
import { remedyFor } from '../../inspect/send-states.ts'
import { summaryOf } from '../../inspect/send-view.ts'
import type { Reveal } from '../../inspect/mask.ts'
import { paged, type PageOf } from '../support/paged.ts'

interface ListFlags extends DatabaseFlags, Reveal {
  readonly state?: SendState
  readonly number?: string
  readonly customer?: string
  readonly limit: number
}

/** Prints closed queues, then sends, newest first. */
export async function list(io: Io, flags: ListFlags): Promise<void> {
  await withReader(io, flags, async (reader) => {
    const now = Date.now()
    const queues = (await reader.closedThrottles(now)).filter(({ number }) => (flags.number ?? number) === number)
    if (flags.json) await printJson(io, reader, queues, flags, now)
    else await printTable(io, reader, queues, flags, now)
  })
}

async function printJson(io: Io, reader: Reader, queues: readonly ClosedThrottle[], flags: ListFlags, now: number) {
  for (const queue of queues) await printLine(io, JSON.stringify(shownQueue(queue)))
  for await (const send of chosen(reader, flags)) await printLine(io, JSON.stringify(summaryOf(send, now, flags)))
}

async function printTable(io: Io, reader: Reader, queues: readonly ClosedThrottle[], flags: ListFlags, now: number) {
  const lines = queues.flatMap((queue) => queueLines(queue, now))
  if (reader.restored) lines.push(restoredLine(reader.restored.held))
  const rows: string[][] = []
  for await (const send of chosen(reader, flags)) rows.push(rowOf(send, now, flags))
  if (lines.length > 0) io.out(`${lines.join('\n')}\n`)
  if (rows.length > 0) io.out(table([headOf(flags), ...rows]).join('\n'))
  else io.err('No such send.')
  if (rows.length === flags.limit) io.err(`The newest ${flags.limit}; --limit shows more.`)
}

async function* chosen(reader: Reader, flags: ListFlags): AsyncGenerator<SendRow> {
  const { state, number, customer } = flags
  const filter = { ...(state && { state }), ...(number !== undefined && { number }), ...(customer && { customer }) }
  const read = async (page: PageOf<number>) => {
    const { sends, next } = await reader.listSends({ ...filter, ...page })
    return { rows: sends, next }
  }
  for await (const page of paged(read, flags.limit)) yield* page
}

function shownQueue(queue: ClosedThrottle) {
  const { number, stopped, since, closedUntil, code, reason } = queue
  return {
    kind: 'queue',
    number,
    state: stopped ? 'stopped' : 'pausing',
    since: iso(since),
    until: stopped ? undefined : iso(closedUntil),
    code,
    reason,
    toDo: remedyFor(queue),
  }
}

function queueLines(queue: ClosedThrottle, now: number): string[] {
  const { number, stopped, since, closedUntil, code, reason } = queue
  const how = stopped ? `stopped since ${iso(since)} (${age(now - since)})` : `pausing until ${iso(closedUntil)}`
  return [oneLine(`The queue of ${number} is ${how}: ${code ?? 'no code'}; ${reason}`), `  To do: ${remedyFor(queue)}`]
}

function restoredLine(held: number): string {
  if (held === 0)
    return 'The database was brought back from a backup; no send is held, but its timers are, and what earlier deliveries send again will be: `switchhook outbox resume` lets them go'
  return `The database was brought back from a backup, and ${held} of its sends wait for a person: compare them with what was sent, then \`switchhook outbox resume\``
}

function headOf({ reveal }: Reveal): string[] {
  const head = ['ID', 'STATE', 'NUMBER', 'CUSTOMER', 'VIA', 'AGE', 'ATTEMPTS', 'CODE', 'REF', 'NOTE']
  return reveal ? [...head, 'BODY'] : head
}

function rowOf(send: SendRow, now: number, { reveal }: Reveal): string[] {
  const shown = summaryOf(send, now, { reveal: reveal ?? false })
  const notes = [
    ...(send.state === 'scheduled' && shown.dueAt ? [`goes out at ${shown.dueAt}`] : []),
    ...(send.possiblyTwice ? ['possibly twice'] : []),
  ]
  return [
    send.id,
    send.state,
    send.number,
    shown.customer,
    send.via,
    age(now - send.createdAt),
    String(send.attempts),
    send.code ?? '',
    send.ref ?? '',
    notes.join(', '),
    ...(reveal ? [JSON.stringify(shown.body)] : []),
  ]
}
