import { stepsOf, valueAt } from './fill-fixture.ts'
import type { Fixture } from './fixture.ts'

/**
 * Why the emulator could not put its own facts into a fixture, which was perhaps edited manually: it would send another
 * customer's number, or a payload in which a whole part is gone. Undefined if it can.
 */
export function faultIn(fixture: Fixture): string | undefined {
  if (isTooDeep(fixture.payload)) return `its payload is nested too deep, more than ${DEEPEST} times`
  for (const [fact, place] of Object.entries(fixture.facts)) {
    const value = valueAt(fixture, fact)
    if (value === undefined || stepsOf(place).length === 0)
      return `${fact} is at ${place}, where its payload has nothing`
    if (typeof value === 'object' && value !== null) return `${fact} is at ${place}, where an object or a list stands`
    if (fact === 'customer' && !holdsNumber(value)) return `${fact} is at ${place}, where no phone number stands`
  }
  return undefined
}

/** The depth to which a fixture is looked through: as much as a bot reads. */
const DEEPEST = 200

function isTooDeep(payload: unknown): boolean {
  let level = [payload]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true
    level = level.flatMap((value): unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
  }
  return false
}

/**
 * The digits that a value at the customer's place may have: a phone number has fifteen at most, and an address may have
 * a device's digits behind it.
 */
const FEWEST_DIGITS = 5
const MOST_DIGITS = 24

function holdsNumber(value: unknown): boolean {
  const digits = String(value).replaceAll(/\D/g, '').length
  return digits >= FEWEST_DIGITS && digits <= MOST_DIGITS
}
