import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { optionsInvalid, reasonOf } from '../../base/errors.ts'
import { EVENTS } from '../../service/delivery.ts'
import { isSignal } from '../../service/message-kinds.ts'
import { type EventFacts, type Finder, valueAt, type Words, writeFacts } from './facts.ts'

/** A file of `switchhook payload export`: a payload of the real service, with the path of each fact in it. */
const fixtureSchema = z.object({
  event: z.string(),
  facts: z.record(z.string(), z.string()).default({}),
  payload: z.record(z.string(), z.unknown()),
})

export interface Fixture extends z.output<typeof fixtureSchema> {
  /** Facts that a function of the app returned and that are nowhere in the payload. */
  readonly made?: Readonly<Record<string, unknown>>
}

const EXPORT = '`switchhook payload export`'

/** @throws SwitchhookError `options_invalid`, also if the folder has no usable fixture. */
export function readFixtures(folder: string): readonly Fixture[] {
  const fixtures = filesIn(folder)
    .map((name) => readFixture(join(folder, name)))
    .filter(({ event, facts }) => Object.hasOwn(EVENTS, event) && Object.keys(facts).length > 0)
  if (fixtures.length === 0)
    throw optionsInvalid(
      `payloads: ${folder} has no usable fixture (an event that the emulator sends, with the paths of its facts): ${EXPORT} writes them`,
    )
  return fixtures
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
  } catch (error) {
    throw optionsInvalid(`payloads: ${folder} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}

function readFixture(file: string): Fixture {
  try {
    return fixtureSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : reasonOf(error)
    throw optionsInvalid(
      `payloads: ${file} is not a fixture: ${why}; correct or remove the file, or write it again with ${EXPORT}`,
      { cause: error },
    )
  }
}

function recordedAt({ facts, payload, made }: Fixture, fact: string): unknown {
  const path = facts[fact]
  return path === undefined ? made?.[fact] : valueAt(payload, path)
}

/** Calls the app's functions for facts. For each result that the payload contains, the fixture gets its path. */
export function withFoundFacts(fixture: Fixture, finders: Readonly<Record<string, Finder>>): Fixture {
  const facts = { ...fixture.facts }
  const made: Record<string, unknown> = {}
  const put = (name: string, value: unknown) => {
    const path = pathTo(fixture.payload, value)
    delete facts[name]
    if (path === undefined) made[name] = value
    else facts[name] = path
  }
  for (const [name, find] of Object.entries(finders)) {
    const found = foundBy(find, fixture.payload)
    if (typeof found !== 'object' || found === null) put(name, found)
    else for (const [member, value] of Object.entries(found)) put(`${name}.${member}`, value)
  }
  return { ...fixture, facts, made }
}

function foundBy(find: Finder, payload: object): unknown {
  try {
    return find(payload)
  } catch {
    // The function throws if it expects another payload.
    return undefined
  }
}

function pathTo(holder: object, wanted: unknown, path = ''): string | undefined {
  if (typeof wanted !== 'string' && typeof wanted !== 'number') return undefined
  for (const [key, value] of Object.entries(holder) as [string, unknown][]) {
    const at = Array.isArray(holder) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
    const found = typeof value === 'object' && value !== null ? pathTo(value, wanted, at) : value === wanted && at
    if (found) return found
  }
  return undefined
}

/** Facts that decide what an event means. A fixture fits an event only if it has each of these that the event has. */
const MUST_FIT = [
  'customer',
  'status',
  'text',
  'tapped.id',
  'media.url',
  'media.caption',
  'location.latitude',
  'location.longitude',
  'reaction.emoji',
  'failureReason',
]
const CONTENT = MUST_FIT.slice(2)

/** The facts of `MUST_FIT` that an event has. */
export function neededFacts(facts: EventFacts): string[] {
  return MUST_FIT.filter((fact) => facts[fact] !== undefined)
}

/** The fixtures that have a path for each needed fact; only those with the same status or kind, if there are any. */
export function fixturesFor(
  fixtures: readonly Fixture[],
  event: string,
  facts: EventFacts,
  words: Words = {},
): readonly Fixture[] {
  const fitting = fixtures.filter((fixture) => fixture.event === event && fits(fixture, facts, words))
  const fact = facts['status'] === undefined ? 'kind' : 'status'
  const alike = fitting.filter((fixture) => isSame(fixture, fact, facts, words))
  return alike.length > 0 ? alike : fitting
}

/** The needed facts for which no fixture has a path. Returns all needed facts if each has a path in some fixture. */
export function factsWithoutPath(fixtures: readonly Fixture[], event: string, facts: EventFacts): string[] {
  const needed = neededFacts(facts)
  const missing = needed.filter((fact) => !fixtures.some((one) => one.event === event && one.facts[fact]))
  return missing.length > 0 ? missing : needed
}

function fits(fixture: Fixture, facts: EventFacts, words: Words): boolean {
  const paths = fixture.facts
  // The customer needs no path, only a known number: `fillFixture` replaces that number wherever it occurs.
  if (neededFacts(facts).some((fact) => (fact === 'customer' ? recordedAt(fixture, fact) : paths[fact]) === undefined))
    return false
  if (CONTENT.some((fact) => facts[fact] === undefined && paths[fact] !== undefined)) return false
  // Content does not tell a signal from a message, or an image from another file. So their kinds must be the same.
  const needsKind = facts['media.url'] !== undefined || isSignal(String(facts['kind']))
  return !needsKind || isSame(fixture, 'kind', facts, words)
}

function isSame(fixture: Fixture, fact: string, facts: EventFacts, words: Words): boolean {
  const recorded = String(recordedAt(fixture, fact)).toLowerCase()
  return (words[recorded] ?? recorded) === String(facts[fact]).toLowerCase()
}

/** Ids that a payload may contain more than once. */
const IDS = ['messageId', 'upstreamId', 'eventId', 'numberId']

/** Replaces ids and the customer's number wherever they occur, and other facts at their paths. */
export function fillFixture(fixture: Fixture, facts: EventFacts): object {
  // Keep the recorded kind, because it is the service's own word. The customer's number is replaced below.
  const { kind: _, 'media.kind': __, customer: ___, ...paths } = fixture.facts
  let json = JSON.stringify(fixture.payload)
  for (const name of IDS) {
    const [before, after] = [recordedAt(fixture, name), facts[name]]
    if (typeof before === 'string' && after !== undefined)
      json = json.replaceAll(JSON.stringify(before), () => JSON.stringify(String(after)))
  }
  const recorded = recordedAt(fixture, 'customer')
  const customer = typeof recorded === 'string' || typeof recorded === 'number' ? String(recorded) : ''
  // Replace the digits first, so that a `+` before them stays.
  for (const written of [customer.replaceAll(/\D/g, ''), customer])
    if (written !== '') json = json.replaceAll(written, String(facts['customer'] ?? written))
  return writeFacts(JSON.parse(json) as object, paths, facts)
}
