import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { reasonOf, readError } from '../../../base/errors.ts'
import { parseBody, readBody } from '../../../bot/inbox/payload/read-body.ts'
import { pathsOf, valueIn } from '../../../view/fact-paths.ts'
import { shapeOf } from '../../../bot/inbox/payload/shape.ts'
import { example } from '../support/arguments.ts'
import { DATABASE_OPTION, type DatabaseFlags, nothingRecorded, withReader } from '../support/open-database.ts'
import { counted } from '../../../view/delivery-states.ts'
import { isHarmless } from '../../../view/mask.ts'
import { type Io, pathOf } from '../support/io.ts'
import { createPseudonyms, pseudonymKey } from './pseudonyms.ts'
import { type Mapping, readMapping, recordedIn } from '../../../view/payload-report.ts'

export function addExport(payload: Command, io: Io): void {
  payload
    .command('export')
    .description('write one fixture of each shape that was received, with numbers, names, texts and ids replaced')
    .option(...DATABASE_OPTION)
    .option('--out <folder>', 'the folder for the fixtures; existing files are kept', './fixtures')
    .option('--json', 'one line of JSON on stdout: {"out": "…", "written": 3, "there": 0, "leftOut": 0}')
    .addHelpText('after', example('switchhook payload export --out fixtures'))
    .action((flags: ExportFlags) => exportPayloads(io, flags))
}

interface ExportFlags extends DatabaseFlags {
  readonly out: string
}

interface Fixture {
  readonly event: string
  readonly facts?: Readonly<Record<string, string>>
  readonly payload: unknown
}

/** A person has to read the fixtures, and nobody reads more than this. */
const MOST_FIXTURES = 200

async function exportPayloads(io: Io, flags: ExportFlags): Promise<void> {
  const { fixtures, leftOut } = await withReader(io, flags, async (reader) => {
    const replace = createPseudonyms(await pseudonymKey(reader))
    const mapping = await readMapping(reader)
    const found = new Map<string, Fixture>()
    let tooMany = 0
    for await (const { event, body } of recordedIn(reader, {})) {
      const parsed = parseBody(body)
      if (!('json' in parsed)) continue
      const payload = keepWords(event, parsed.json, replace(parsed.json, event), mapping)
      const fixture = fixtureOf(event, payload, mapping)
      const name = nameOf(fixture)
      if (!found.has(name) && found.size >= MOST_FIXTURES) tooMany++
      else found.set(name, fixture)
    }
    return { fixtures: found, leftOut: tooMany }
  })
  if (fixtures.size === 0) throw nothingRecorded(io, flags)
  let written = 0
  const folder = pathOf(io, flags.out)
  mkdirSync(folder, { recursive: true })
  for (const [name, fixture] of fixtures) if (writeNew(join(folder, name), fixture)) written++
  const there = fixtures.size - written
  if (flags.json) io.out(JSON.stringify({ out: flags.out, written, there, leftOut }))
  else io.err(exportText(flags.out, written, there, leftOut))
}

/** A batch has each fact several times, so its fixture has no paths. */
function fixtureOf(event: string, payload: unknown, mapping: Mapping): Fixture {
  const facts = pathsIn(event, payload, mapping)
  return facts ? { event, facts, payload } : { event, payload }
}

function pathsIn(event: string, payload: unknown, mapping: Mapping): Readonly<Record<string, string>> | undefined {
  const bytes = Buffer.from(JSON.stringify(payload))
  const reading = readBody(bytes, { event, deliveryId: undefined, now: Date.now(), ...mapping.of(event) })
  const [view, another] = 'views' in reading ? reading.views : []
  return view && !another ? pathsOf(view, payload as Record<string, unknown>) : undefined
}

/** Facts that keep their values: they identify nobody. For each: the name under which `isHarmless` checks its value. */
const WORDS: Readonly<Record<string, string>> = {
  at: 'at',
  kind: 'kind',
  status: 'status',
  'template.status': 'status',
  'template.previousStatus': 'status',
}

function keepWords(event: string, original: unknown, replaced: unknown, mapping: Mapping): unknown {
  for (const [fact, path] of Object.entries(pathsIn(event, original, mapping) ?? {})) {
    const name = Object.hasOwn(WORDS, fact) ? WORDS[fact] : undefined
    const value = valueIn(original, path)
    if (name === undefined || (typeof value !== 'string' && typeof value !== 'number')) continue
    if (isHarmless(name, value)) restoreWords(replaced, path, value)
  }
  return replaced
}

function restoreWords(payload: unknown, path: string, value: string | number): void {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '')
  const last = steps.pop() ?? ''
  const holder = steps.length === 0 ? payload : valueIn(payload, steps.join('.'))
  if (typeof holder === 'object' && holder !== null && Object.hasOwn(holder, last))
    (holder as Record<string, unknown>)[last] = value
}

/** For example `message.received-text-bcdfghjkmnpq.json`: the event, the kind or status, a fingerprint of the shape. */
function nameOf(fixture: Fixture): string {
  const words = ['kind', 'status'].flatMap((fact) => wordAt(fixture, fact))
  const { fingerprint } = shapeOf(fixture.payload as Record<string, unknown>)
  const name = [fixture.event, ...words, fingerprint].join('-')
  return `${name.replaceAll(/[^\w.-]/g, '-')}.json`
}

function wordAt({ facts = {}, payload }: Fixture, fact: string): string[] {
  const value = valueIn(payload, facts[fact] ?? '')
  return typeof value === 'string' && isHarmless('kind', value) ? [value.toLowerCase()] : []
}

const OWNER_ONLY = 0o600

/** Returns false if the file exists already: somebody may have edited it. */
function writeNew(file: string, fixture: Fixture): boolean {
  try {
    writeFileSync(file, `${JSON.stringify(fixture, undefined, 2)}\n`, { flag: 'wx', mode: OWNER_ONLY })
    return true
  } catch (error) {
    if (readError(error).code === 'EEXIST') return false
    throw new Error(`the fixture cannot be written to ${file}: ${reasonOf(error)}`, { cause: error })
  }
}

function exportText(out: string, written: number, there: number, leftOut: number): string {
  const stayed = there > 0 ? `; ${there} existed already and were kept` : ''
  const without =
    leftOut > 0 ? `; ${leftOut} deliveries left out, because there are more than ${MOST_FIXTURES} shapes` : ''
  return `${counted(written, 'fixture', 'fixtures')} in ${out}, under pseudonyms${stayed}${without}.`
}
