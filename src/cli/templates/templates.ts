import { type Command, Option } from 'commander'
import type { TemplateRow } from '../../client/index.ts'
import { isForCodes, templateShapeOf } from '../../content/index.ts'
import { example } from '../support/arguments.ts'
import type { Io } from '../support/io.ts'
import { table } from '../support/output.ts'
import { BASE_URL_OPTION, PHONE_NUMBER_ID_OPTION, type ServiceFlags, TOKEN_OPTION } from '../support/service.ts'
import { pull } from './pull.ts'
import { templatesOf } from './service.ts'

export function addCommand(templates: Command, io: Io): void {
  templates.addHelpText('after', example('switchhook templates ls'))
  templates
    .command('ls')
    .description('list the templates, newest first: their parameters, and whether a send would be accepted now')
    .option(...BASE_URL_OPTION)
    .option(...TOKEN_OPTION)
    .option(...PHONE_NUMBER_ID_OPTION)
    .addOption(
      new Option('--sendable <which>', 'only those that are sendable now, or only the others').choices([
        'true',
        'false',
      ]),
    )
    .option('--json', 'one object a line on stdout: {"name":"order_ready","language":"sw",…}')
    .addHelpText('after', example('switchhook templates ls --sendable false'))
    .action((flags) => list(io, flags))
  templates
    .command('pull')
    .description('write types, so that a wrong name, language or number of parameters does not compile')
    .option(...BASE_URL_OPTION)
    .option(...TOKEN_OPTION)
    .option(...PHONE_NUMBER_ID_OPTION)
    .option('--out <file>', 'the file for the types, over earlier ones (default: stdout)')
    .option('--check', 'write nothing; exit with 1 if the file differs from the templates')
    .addHelpText('after', example('switchhook templates pull --out src/templates.d.ts'))
    .action((flags) => pull(io, flags))
}

interface ListFlags extends ServiceFlags {
  readonly sendable?: 'true' | 'false'
  readonly json?: boolean
}

/** Prints the number's templates, newest first. */
async function list(io: Io, flags: ListFlags): Promise<void> {
  const rows = await templatesOf(io, flags, flags.sendable === undefined ? undefined : flags.sendable === 'true')
  if (flags.json) for (const row of rows) io.out(JSON.stringify(jsonRow(row)))
  else if (rows.length > 0) io.out(table([HEAD, ...rows.map(cells)]).join('\n'))
  else io.err('No such template.')
}

const HEAD = ['NAME', 'LANGUAGE', 'CATEGORY', 'STATUS', 'SENDABLE', 'PARAMETERS', 'WHY NOT']

function cells(row: TemplateRow): string[] {
  const { name, language, category, status, sendable, unsendable_reason } = row
  return [name, language, category, status, sendable ? 'yes' : 'no', parametersOf(row), unsendable_reason ?? '']
}

function parametersOf(row: TemplateRow): string {
  if (isForCodes(row)) return 'one-time code'
  const shape = templateShapeOf(row)
  if (shape === undefined) return 'not known yet'
  const { header, body, buttons } = shape
  const parts = [
    ...(header === 0 ? [] : [`header ${header}`]),
    ...(body === 0 ? [] : [`body ${body}`]),
    ...(buttons.length === 0 ? [] : [`buttons ${buttons.map((button) => button ?? 'static').join(' + ')}`]),
  ]
  return parts.length > 0 ? parts.join(', ') : 'none'
}

/** A template as one line of JSON; `parameters` is null while they are unknown. */
function jsonRow(row: TemplateRow) {
  const { id, name, language, category, status, sendable, unsendable_reason: unsendableReason } = row
  return { id, name, language, category, status, sendable, unsendableReason, parameters: templateShapeOf(row) ?? null }
}
