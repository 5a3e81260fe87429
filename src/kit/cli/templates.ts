import type { Command } from 'commander'
import { createClient, type TemplateRow } from '../../client/client.ts'
import { isForCodes, type TemplateShape, templateShapeOf } from '../../service/approved-template.ts'
import { BASE_URL_OPTION, example, type ServiceFlags, TOKEN_OPTION } from './support/arguments.ts'
import { EMULATOR_OPTIONS, type RunningFlags } from './support/running-emulator.ts'
import { writeGenerated } from './support/files.ts'
import { escaped, type Io } from './support/io.ts'
import { oneLine } from './support/output.ts'
import { rethrow, serviceAddress } from './support/service.ts'

export function addCommand(templates: Command, io: Io): void {
  templates
    .command('pull')
    .description('write types, so that a wrong name, language or number of parameters does not compile')
    .option(...BASE_URL_OPTION)
    .option(...TOKEN_OPTION)
    .option(...EMULATOR_OPTIONS.address)
    .option(...EMULATOR_OPTIONS.token)
    .option('--out <file>', 'the file for the types, over earlier ones (default: stdout)')
    .addHelpText('after', example('switchhook templates pull --out src/templates.d.ts'))
    .action((flags) => pull(io, flags))
}

interface PullFlags extends ServiceFlags, RunningFlags {
  readonly out?: string
}

async function pull(io: Io, flags: PullFlags): Promise<void> {
  const { out } = flags
  const rows = await templatesOf(io, flags)
  // An empty list usually means the token of another number. Types made of no template would accept every template.
  if (rows.length === 0)
    throw new Error('the number has no templates, so there are no types to write: is it the right number?')
  const types = typesText(entriesOf(rows))
  if (out === undefined) {
    io.stdout.write(types)
    return
  }
  writeGenerated(io, out, types)
  io.err(`The types of ${rows.length} templates are in ${out}.`)
  for (const { name, language, sendable, unsendable_reason: reason } of rows)
    if (!sendable) io.err(oneLine(`Not sendable now: ${name} (${language}): ${reason ?? 'no reason given'}`))
}

async function templatesOf(io: Io, flags: PullFlags): Promise<TemplateRow[]> {
  const address = await serviceAddress(io, flags)
  const rows: TemplateRow[] = []
  try {
    for await (const row of createClient(address).templates.iterate({ limit: 100 })) rows.push(row)
  } catch (error) {
    rethrow(error, address)
  }
  return rows
}

/** By its first line, the command recognises a file that it wrote. */
const HEAD = `// written by \`switchhook templates pull\`
// The number's templates as the service listed them: do not edit this, run the command again when they change.
`

/** A module that declares `Templates` and `OneTimeCodes`. The same entries give the same text. */
export function typesText(entries: readonly Entry[]): string {
  const loose = entries.some(({ type }) => type === LOOSE)
  const module = loose ? `import type { ${LOOSE} } from 'switchhook'` : 'export {}'
  const interfaces = (['Templates', 'OneTimeCodes'] as const).map((of) =>
    interfaceText(
      of,
      entries.filter((entry) => entry.of === of),
    ),
  )
  return `${HEAD}${module}\n\ndeclare module 'switchhook' {\n${interfaces.join('')}}\n`
}

function interfaceText(of: Entry['of'], entries: readonly Entry[]): string {
  if (entries.length === 0) return ''
  const members = [...Map.groupBy(entries, ({ name }) => name)].map(([name, languages]) => {
    const lines = languages.map(({ language, type }) => `      ${language}: ${type}\n`)
    return `    ${name}: {\n${lines.join('')}    }\n`
  })
  return `  interface ${of} {\n${members.join('')}  }\n`
}

interface Entry {
  readonly of: 'Templates' | 'OneTimeCodes'
  readonly name: string
  readonly language: string
  readonly type: string
}

/** The type for a template with unknown parameters: it accepts everything, and the service checks the parameters. */
const LOOSE = 'TemplateParameters'
/** The type for a template without parameters. An empty object type would accept everything. */
const NOTHING = '{ body?: [] }'
const CODE = 'string'

/** Sorted by interface, name and language. If a template is listed twice, the first row counts, which is the newest. */
export function entriesOf(rows: readonly TemplateRow[]): Entry[] {
  const entries = new Map<string, Entry>()
  // A row without a name or language cannot be sent (TPL-08).
  for (const row of rows.filter(({ name, language }) => name !== '' && language !== '')) {
    const entry = entryOf(row)
    if (!entries.has(keyOf(entry))) entries.set(keyOf(entry), entry)
  }
  return [...entries.values()].sort(
    (a, b) => -order(a.of, b.of) || order(a.name, b.name) || order(a.language, b.language),
  )
}

function keyOf({ name, language }: Pick<Entry, 'name' | 'language'>): string {
  return `${name} (${language})`
}

function entryOf(row: TemplateRow): Entry {
  const named = { name: memberName(row.name), language: memberName(row.language) }
  return isForCodes(row)
    ? { of: 'OneTimeCodes', ...named, type: CODE }
    : { of: 'Templates', ...named, type: typeOf(templateShapeOf(row)) }
}

function typeOf(shape: TemplateShape | undefined): string {
  if (shape === undefined) return LOOSE
  const members = [
    ...headerMember(shape),
    ...(shape.body > 0 ? [`body: ${texts(shape.body)}`] : []),
    ...buttonsMember(shape),
  ]
  return members.length > 0 ? `{ ${members.join('; ')} }` : NOTHING
}

function headerMember({ header }: TemplateShape): string[] {
  if (header === 0) return []
  if (header === 'document') return ['header: { document: string; filename?: string | undefined }']
  if (typeof header === 'string') return [`header: { ${header}: string }`]
  return [`header: ${header === 1 ? 'string | [string]' : texts(header)}`]
}

function texts(count: number): string {
  return `[${Array.from({ length: count }, () => 'string').join(', ')}]`
}

const BUTTONS = {
  url: 'string | { url: string }',
  quick_reply: '{ payload: string | { id: string; title: string } } | null',
  static: 'null',
} as const

function buttonsMember({ buttons }: TemplateShape): string[] {
  if (buttons.length === 0) return []
  const lastRequired = buttons.lastIndexOf('url')
  const types = buttons.map((button, at) => {
    const type = BUTTONS[button ?? 'static']
    if (at <= lastRequired) return type
    return button === null ? `${type}?` : `(${type})?`
  })
  return [`buttons${lastRequired < 0 ? '?' : ''}: [${types.join(', ')}]`]
}

function order(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

const PLAIN = /^[A-Za-z_$][\w$]*$/

function memberName(name: string): string {
  if (PLAIN.test(name) && name !== '__proto__') return name
  const quoted = JSON.stringify(name).slice(1, -1).replaceAll("'", String.raw`\'`)
  return `'${escaped(quoted)}'`
}
