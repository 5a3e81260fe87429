import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { optionsInvalid, reasonOf } from '../../base/errors.ts'
import { EVENTS } from '../../service/contract.ts'
import { type EventFacts, valueAt, writeFacts } from './facts.ts'

/**
 * A payload that the real service sent, with the paths of its facts: `customer` → `data.from`. `switchhook payload
 * export` writes such files.
 */
const fixtureSchema = z.object({
  event: z.string(),
  facts: z.record(z.string(), z.string()).default({}),
  payload: z.record(z.string(), z.unknown()),
})

export type Fixture = z.output<typeof fixtureSchema>

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

function recordedAt({ facts, payload }: Fixture, fact: string): unknown {
  const path = facts[fact]
  return path === undefined ? undefined : valueAt(payload, path)
}

/** Facts that an event's meaning depends on. */
const MUST_FIT = ['customer', 'status', 'text', 'tapped.id', 'media.url', 'media.caption', 'failureReason']
const CONTENT = MUST_FIT.slice(2)

export function said(facts: EventFacts): string[] {
  return MUST_FIT.filter((fact) => facts[fact] !== undefined)
}

/** Those with a path for each fact, and of these the ones with the same status or kind, if any. */
export function fixturesFor(fixtures: readonly Fixture[], event: string, facts: EventFacts): readonly Fixture[] {
  const fitting = fixtures.filter((fixture) => fixture.event === event && fits(fixture, facts))
  const alike = fitting.filter((fixture) =>
    facts['status'] === undefined ? isSame(fixture, 'kind', facts) : isSame(fixture, 'status', facts),
  )
  return alike.length > 0 ? alike : fitting
}

function fits(fixture: Fixture, facts: EventFacts): boolean {
  const paths = fixture.facts
  if (said(facts).some((fact) => paths[fact] === undefined)) return false
  if (CONTENT.some((fact) => facts[fact] === undefined && paths[fact] !== undefined)) return false
  return facts['media.url'] === undefined || isSame(fixture, 'kind', facts)
}

function isSame(fixture: Fixture, fact: string, facts: EventFacts): boolean {
  return String(recordedAt(fixture, fact)).toLowerCase() === String(facts[fact]).toLowerCase()
}

/** Ids that may occur at several paths, such as a message's id beside `message.id`. */
const IDS = ['messageId', 'upstreamId', 'eventId', 'numberId']

/** Replaces an id or the customer's number everywhere, other facts at their paths. The rest stays as recorded. */
export function fillFixture(fixture: Fixture, facts: EventFacts): object {
  // The service has its own names for kinds, and the customer's number is replaced below.
  const { kind: _, 'media.kind': __, customer: ___, ...paths } = fixture.facts
  let json = JSON.stringify(fixture.payload)
  for (const name of IDS) {
    const [before, after] = [recordedAt(fixture, name), facts[name]]
    if (typeof before === 'string' && after !== undefined)
      json = json.replaceAll(JSON.stringify(before), () => JSON.stringify(String(after)))
  }
  const recorded = recordedAt(fixture, 'customer')
  const customer = typeof recorded === 'string' || typeof recorded === 'number' ? String(recorded) : ''
  // Its digits first, so that a `+` before them stays.
  for (const written of [customer.replaceAll(/\D/g, ''), customer])
    if (written !== '') json = json.replaceAll(written, String(facts['customer'] ?? written))
  return writeFacts(JSON.parse(json) as object, paths, facts)
}
