import { closeSync, openSync, writeSync } from 'node:fs'
import { reasonOf } from '../../base/errors.ts'
import { parseBody } from '../../payload/index.ts'
import { type DatabaseFlag, withReader } from '../support/database.ts'
import { type Io, printLine } from '../support/io.ts'
import { createPseudonyms } from '../support/pseudonyms.ts'
import { pseudonymKey, recordedIn } from '../support/recordings.ts'
import { filterOf, type Filters } from './select.ts'
import type { Reveal } from './view.ts'

interface ExportFlags extends DatabaseFlag, Pick<Filters, 'event' | 'since'>, Reveal {
  readonly out?: string
  readonly json?: boolean
}

/** Writes recorded deliveries as fixtures, a line each, in the order of their arrival. */
export async function exportFixtures(io: Io, flags: ExportFlags): Promise<void> {
  await withReader(io, flags, async (reader) => {
    const pseudonyms = flags.reveal ? (payload: unknown) => payload : createPseudonyms(await pseudonymKey(reader))
    const out = flags.out === undefined ? undefined : openNew(flags.out)
    const write = (line: string) => (out === undefined ? printLine(io, line) : writeSync(out, `${line}\n`))
    let [written, leftOut] = [0, 0]
    try {
      for await (const { event, body } of recordedIn(reader, filterOf(flags, Date.now()))) {
        const parsed = parseBody(body)
        if ('json' in parsed) await write(JSON.stringify({ event, payload: pseudonyms(parsed.json, event) }))
        if ('json' in parsed) written++
        else leftOut++
      }
    } finally {
      if (out !== undefined) closeSync(out)
    }
    if (!flags.json) io.err(exportText(written, leftOut, flags))
    else if (flags.out !== undefined) io.out(JSON.stringify({ out: flags.out, written, leftOut }))
  })
}

const OWNER_ONLY = 0o600

/** Opens a new file. An existing one is not overwritten, since somebody may have edited the fixtures. */
function openNew(file: string): number {
  try {
    return openSync(file, 'wx', OWNER_ONLY)
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    const why = isThere ? 'it is there already; name another' : reasonOf(error)
    throw new Error(`the fixtures cannot be written to ${file}: ${why}`, { cause: error })
  }
}

function exportText(written: number, leftOut: number, { out, reveal }: ExportFlags): string {
  const where = out === undefined ? '' : ` in ${out}`
  const masked = reveal ? 'as they came: with phone numbers and texts' : 'under pseudonyms'
  const without = leftOut > 0 ? `; ${leftOut} left out, since they are no JSON objects` : ''
  return `${written} ${written === 1 ? 'delivery' : 'deliveries'}${where}, ${masked}${without}.`
}
