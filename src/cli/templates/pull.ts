import { optionsInvalid } from '../../base/errors.ts'
import type { TemplateRow } from '../../client/index.ts'
import { EXIT } from '../support/exit.ts'
import { readGenerated, writeGenerated } from '../support/files.ts'
import type { Io } from '../support/io.ts'
import type { ServiceFlags } from '../support/service.ts'
import { entriesOf, type Entry, entryText, keyOf } from './entry.ts'
import { templatesOf } from './service.ts'
import { FIRST_LINE, readTypes, typesText } from './types-file.ts'

interface PullFlags extends ServiceFlags {
  readonly out?: string
  readonly check?: boolean
}

/** Writes types of the number's templates and prints how they differ from the earlier ones. */
export async function pull(io: Io, flags: PullFlags): Promise<void> {
  const { out, check } = flags
  if (out === undefined && check) throw optionsInvalid('--check compares with a file: name it with --out')
  const before = out === undefined ? undefined : readGenerated(out, FIRST_LINE)
  const rows = await templatesOf(io, flags)
  // Empty types would accept everything, and another number's token is the likely reason.
  if (rows.length === 0)
    throw new Error('the number has no templates, so there are no types of them: is it the right one?')
  const entries = entriesOf(rows)
  const types = typesText(entries)
  if (out === undefined) {
    io.stdout.write(types)
    return
  }
  const difference = before === undefined ? undefined : differenceOf(readTypes(before), entries)
  if (check) compare(io, out, before, difference)
  else write(io, out, { types, before, difference, rows })
}

function compare(io: Io, out: string, before: string | undefined, difference: Difference | undefined): void {
  if (before === undefined) throw new Error(`${out} is not there: \`switchhook templates pull --out ${out}\` writes it`)
  if (difference === undefined) return
  io.exitCode = EXIT.failed
  printLines(io, [`${out} is out of date: ${difference.summary}.`, ...difference.lines])
}

interface PulledTypes {
  readonly types: string
  readonly before: string | undefined
  readonly difference: Difference | undefined
  readonly rows: readonly TemplateRow[]
}

function write(io: Io, out: string, { types, before, difference, rows }: PulledTypes): void {
  if (types !== before) writeGenerated(out, types, before)
  const unchanged = before === undefined ? '' : ': nothing has changed'
  printLines(io, [
    `The types of ${count(rows)} are in ${out}${difference ? `: ${difference.summary}` : unchanged}.`,
    ...(difference?.lines ?? []),
  ])
  const unsendable = rows.filter(({ sendable }) => !sendable)
  if (unsendable.length > 0)
    printLines(io, [
      `${count(unsendable)} would not be sent now: \`switchhook templates ls --sendable false\` says why.`,
    ])
}

function count(rows: readonly TemplateRow[]): string {
  return `${rows.length} ${rows.length === 1 ? 'template' : 'templates'}`
}

function printLines(io: Io, lines: readonly string[]): void {
  io.err(lines.join('\n'))
}

/** The changes of the templates since the types were written: counts, and a line for each. */
interface Difference {
  readonly summary: string
  readonly lines: readonly string[]
}

/** Compares entries; undefined if nothing has changed. */
export function differenceOf(before: readonly Entry[], now: readonly Entry[]): Difference | undefined {
  const old = new Map(before.map((entry) => [keyOf(entry), entry]))
  const current = new Map(now.map((entry) => [keyOf(entry), entry]))
  const added = now.filter((entry) => !old.has(keyOf(entry)))
  const removed = before.filter((entry) => !current.has(keyOf(entry)))
  const changed = now.flatMap((entry) => {
    const was = old.get(keyOf(entry))
    return was === undefined || isSame(was, entry) ? [] : [{ was, entry }]
  })
  if (added.length + removed.length + changed.length === 0) return undefined
  const counts = [`${added.length} added`, `${removed.length} removed`, `${changed.length} changed`]
  return {
    summary: counts.filter((count) => !count.startsWith('0 ')).join(', '),
    lines: [
      ...added.map((entry) => `  + ${keyOf(entry)} ${entryText(entry)}`),
      ...removed.map((entry) => `  - ${keyOf(entry)} ${entryText(entry)}`),
      ...changed.map(({ was, entry }) => `  ~ ${keyOf(entry)} ${entryText(was)} -> ${entryText(entry)}`),
    ],
  }
}

/** Compares types regardless of formatting. */
function isSame(a: Entry, b: Entry): boolean {
  const bare = ({ type }: Entry) => type.replaceAll(/[\s;,]/g, '')
  return bare(a) === bare(b)
}
