import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'

/**
 * A payload that a service really sent, with the places of its facts: `customer` → `data.from`, `tapped.id` →
 * `data.interactive.id`. `switchhook payload export` writes such files.
 */
export interface Fixture {
  readonly event: string
  /** Fact → the path of its value in the payload. */
  readonly facts: Readonly<Record<string, string>>
  readonly payload: JsonObject
}

/** The content of an event, by the names that facts have in a fixture; `at` in milliseconds since the epoch. */
export type EventFacts = Readonly<Record<string, string | number | undefined>>

type JsonObject = { readonly [member: string]: unknown }

const fixtureSchema = z.object({
  event: z.string(),
  facts: z.record(z.string(), z.string()).default({}),
  payload: z.record(z.string(), z.unknown()),
})

/**
 * Reads the fixtures in a folder, a JSON file each. One that names no places, such as a batch, has no room for another
 * customer's message, and is left out.
 *
 * @throws SwitchhookError `options_invalid` if the folder cannot be read, or has no fixture that serves.
 */
export function readFixtures(folder: string): readonly Fixture[] {
  const fixtures = filesIn(folder)
    .map((name) => readFixture(join(folder, name)))
    .filter(({ facts }) => Object.keys(facts).length > 0)
  if (fixtures.length > 0) return fixtures
  throw invalid(`${folder} has no fixture with the places of its facts: \`switchhook payload export\` writes them`)
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
  try {
    return fixtureSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : reasonOf(error)
    throw invalid(`${file} is no fixture: ${why}`, error)
  }
}

function invalid(message: string, cause?: unknown): SwitchhookError {
  return new SwitchhookError('options_invalid', `payloads: ${message}`, { cause })
}
