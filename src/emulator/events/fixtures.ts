import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { optionsInvalid, reasonOf, type SwitchhookError } from '../../base/errors.ts'
import { suggest } from '../../base/suggest.ts'
import { EVENTS } from '../../contract/index.ts'
import { faultIn } from './fixture-fault.ts'
import type { Fixture } from './fixture.ts'

const fixtureSchema = z.object({
  event: z.string(),
  facts: z.record(z.string(), z.string()).default({}),
  payload: z.record(z.string(), z.unknown()),
})

/**
 * Reads the fixtures in a folder, a JSON file each. One that names no places, such as a batch, has no room for another
 * customer's message, and is left out; so is, with a warning, one of an event that the emulator never sends.
 *
 * @throws SwitchhookError `options_invalid` if the folder cannot be read, has a file that is no fixture, or has no
 *   fixture that serves.
 */
export function readFixtures(
  folder: string,
  warn: (message: string) => void = (message) => process.emitWarning(message),
): readonly Fixture[] {
  const fixtures = filesIn(folder)
    .map((name) => ({ file: join(folder, name), fixture: readFixture(join(folder, name)) }))
    .filter(({ file, fixture }) => isSent(fixture.event, file, warn))
    .map(({ fixture }) => fixture)
    .filter(({ facts }) => Object.keys(facts).length > 0)
  if (fixtures.length === 0)
    throw invalid(
      `${folder} has no fixture of an event that the emulator sends, with the places of its facts: ${EXPORT} writes them`,
    )
  if (!fixtures.some(({ event }) => event === 'message.received'))
    warn(
      `${folder} has no fixture of message.received: customers' messages come in shapes that the emulator made up; ${EXPORT} writes fixtures of what the service sent`,
    )
  return fixtures
}

const EXPORT = '`switchhook payload export`'

function isSent(event: string, file: string, warn: (message: string) => void): boolean {
  if (Object.hasOwn(EVENTS, event)) return true
  const [meant] = suggest(event, Object.keys(EVENTS))
  const question = meant === undefined ? '' : `; did you mean ${meant}?`
  warn(`${file} is of the event ${event}, which the emulator never sends, and is left out${question}`)
  return false
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
  } catch (error) {
    throw invalid(`${folder} cannot be read: ${reasonOf(error)}`, error)
  }
}

function readFixture(file: string): Fixture {
  let fixture: Fixture
  try {
    fixture = fixtureSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    throw noFixture(file, error instanceof z.ZodError ? z.prettifyError(error) : reasonOf(error), error)
  }
  const fault = faultIn(fixture)
  if (fault !== undefined) throw noFixture(file, fault)
  return fixture
}

function noFixture(file: string, why: string, cause?: unknown): SwitchhookError {
  return invalid(`${file} is no fixture: ${why}; fix or remove the file, or write it again with ${EXPORT}`, cause)
}

function invalid(message: string, cause?: unknown): SwitchhookError {
  return optionsInvalid(`payloads: ${message}`, { cause })
}
