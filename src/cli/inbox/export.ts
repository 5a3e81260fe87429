import { closeSync, writeSync } from 'node:fs'
import { optionsInvalid } from '../../base/errors.ts'
import { parseBody } from '../../payload/index.ts'
import { type DatabaseFlags, withReader } from '../support/database.ts'
import { openNewFile, writeNewFile } from '../support/files.ts'
import { type Io, printLine } from '../support/io.ts'
import { createPseudonyms } from '../support/pseudonyms.ts'
import { pseudonymKey, recordedIn } from '../support/recordings.ts'
import { recordOf } from './customer-record.ts'
import { filterOf, type Filters } from './select.ts'
import type { Reveal } from '../../inspect/mask.ts'

interface ExportFlags extends DatabaseFlags, Pick<Filters, 'event' | 'since'>, Reveal {
  readonly out?: string
  readonly customer?: string
}

/** Writes fixtures for tests, or with `--customer` all that is kept of one customer. */
export async function exportKept(io: Io, flags: ExportFlags): Promise<void> {
  const { customer, event, since, reveal } = flags
  if (customer === undefined) return exportFixtures(io, flags)
  if (event !== undefined || since !== undefined || reveal)
    throw optionsInvalid('--customer: all that is kept of them is written, as it is')
  await exportCustomer(io, customer, flags)
}

/** Nothing is masked: it is for the customer. */
async function exportCustomer(io: Io, customer: string, { out, json, ...flags }: ExportFlags): Promise<void> {
  const record = await withReader(io, flags, (reader) => recordOf(reader, customer, Date.now()))
  const text = `${JSON.stringify(record, undefined, 2)}\n`
  if (out === undefined) return printLine(io, text.trimEnd())
  await writeNewFile(out, async () => text)
  const [received, sent] = [record.received.length, record.sent.length]
  if (json) io.out(JSON.stringify({ out, received, sent }))
  else io.err(`${received} deliveries and ${sent} sends of this customer in ${out}, with texts.`)
}

/** Writes recorded deliveries as fixtures, a line each, in the order of their arrival. */
async function exportFixtures(io: Io, flags: ExportFlags): Promise<void> {
  await withReader(io, flags, async (reader) => {
    const pseudonyms = flags.reveal ? (payload: unknown) => payload : createPseudonyms(await pseudonymKey(reader))
    const out = flags.out === undefined ? undefined : openNewFile(flags.out)
    const write = (line: string) => (out === undefined ? printLine(io, line) : writeSync(out, `${line}\n`))
    let [written, leftOut] = [0, 0]
    try {
      for await (const { event, body, at } of recordedIn(reader, filterOf(flags, Date.now()))) {
        const parsed = parseBody(body)
        if (!('json' in parsed)) {
          leftOut++
          continue
        }
        const payload = pseudonyms(parsed.json, event)
        await write(JSON.stringify({ event, at: new Date(at).toISOString(), payload }))
        written++
      }
    } finally {
      if (out !== undefined) closeSync(out)
    }
    if (!flags.json) io.err(exportText(written, leftOut, flags))
    else if (flags.out !== undefined) io.out(JSON.stringify({ out: flags.out, written, leftOut }))
  })
}

function exportText(written: number, leftOut: number, { out, reveal }: ExportFlags): string {
  const where = out === undefined ? '' : ` in ${out}`
  const masked = reveal ? 'as they came: with phone numbers and texts' : 'under pseudonyms'
  const without = leftOut > 0 ? `; ${leftOut} left out, since they are no JSON objects` : ''
  return `${written} ${written === 1 ? 'delivery' : 'deliveries'}${where}, ${masked}${without}.`
}
