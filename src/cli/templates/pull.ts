import { SwitchhookError } from '../../base/errors.ts'
import type { TemplateRow } from '../../client/index.ts'
import { EXIT } from '../exit.ts'
import { readOwn, writeOwn } from '../own-file.ts'
import { type Difference, differenceOf } from './difference.ts'
import { entriesOf } from './entry.ts'
import { readTypes } from './read-types.ts'
import { type ServiceFlags, templatesOf } from './service.ts'
import { FIRST_LINE, typesText } from './types.ts'

export interface PullFlags extends ServiceFlags {
  readonly out?: string
  readonly check?: boolean
}

/** `switchhook templates pull`: the types of the number's templates, and how they differ from those written before. */
export async function pull(flags: PullFlags): Promise<void> {
  const { out, check } = flags
  if (out === undefined && check)
    throw new SwitchhookError('options_invalid', '--check compares with a file: name it with --out')
  const before = out === undefined ? undefined : readOwn(out, FIRST_LINE)
  const rows = await templatesOf(flags)
  // Types without any would let everything through, where another number's token is the likely reason.
  if (rows.length === 0)
    throw new Error('the number has no templates, so there are no types of them: is it the right one?')
  const entries = entriesOf(rows)
  const types = typesText(entries)
  if (out === undefined) {
    process.stdout.write(types)
    return
  }
  const difference = before === undefined ? undefined : differenceOf(readTypes(before), entries)
  if (check) compare(out, before, difference)
  else write(out, { types, before, difference, rows })
}

function compare(out: string, before: string | undefined, difference: Difference | undefined): void {
  if (before === undefined) throw new Error(`${out} is not there: \`switchhook templates pull --out ${out}\` writes it`)
  if (difference === undefined) return
  process.exitCode = EXIT.failed
  tell([`${out} is out of date: ${difference.summary}.`, ...difference.lines])
}

interface Written {
  readonly types: string
  readonly before: string | undefined
  readonly difference: Difference | undefined
  readonly rows: readonly TemplateRow[]
}

function write(out: string, { types, before, difference, rows }: Written): void {
  if (types !== before) writeOwn(out, types, before)
  const unchanged = before === undefined ? '' : ': nothing has changed'
  tell([
    `The types of ${count(rows)} are in ${out}${difference ? `: ${difference.summary}` : unchanged}.`,
    ...(difference?.lines ?? []),
  ])
  const unsendable = rows.filter(({ sendable }) => !sendable)
  if (unsendable.length > 0)
    tell([`${count(unsendable)} would not be sent now: \`switchhook templates ls --sendable false\` says why.`])
}

function count(rows: readonly TemplateRow[]): string {
  return `${rows.length} ${rows.length === 1 ? 'template' : 'templates'}`
}

function tell(lines: readonly string[]): void {
  process.stderr.write(`${lines.join('\n')}\n`)
}
