import { addCounts, type Choice, isFactName, type Lock, type Received, sightingsIn } from '../../payload/index.ts'
import { type DatabaseFlags, nothingRecorded, withReader } from '../support/database.ts'
import { fixturesIn } from '../support/fixtures.ts'
import type { Io } from '../support/io.ts'
import { LATEST } from './types.ts'

/** A payload with a name by which a person finds it. */
export interface NamedPayload extends Received {
  readonly name: string
}

/** The payloads of fixtures, or else of the deliveries in the database. */
export async function payloadsOf(
  io: Io,
  fixtures: readonly string[],
  flags: DatabaseFlags,
): Promise<readonly NamedPayload[]> {
  if (fixtures.length > 0) return fixturesIn(fixtures)
  const latest = await withReader(io, flags, (reader) => reader.latestDeliveries(LATEST))
  const payloads = latest.map(({ seq, ...one }) => ({ ...one, name: `delivery ${seq}` }))
  if (payloads.length > 0) return payloads
  throw nothingRecorded(io, flags)
}

/** The events that a bot has counted since its first start: also those of which no delivery is kept any more. */
export async function countedEvents(io: Io, flags: DatabaseFlags): Promise<readonly string[]> {
  const { shapes } = await withReader(io, flags, (reader) => reader.seenPayloads())
  return shapes.map(({ event }) => event)
}

/** Gathers the material of a lock: payloads, and of a database also the bot's counts and its own mapping. */
export async function evidenceOf(io: Io, fixtures: readonly string[], flags: DatabaseFlags, lock: Lock | undefined) {
  const payloads = await payloadsOf(io, fixtures, flags)
  const sightings = sightingsIn(payloads, lock)
  if (fixtures.length > 0) return { payloads, sightings, mapped: [] }
  return await withReader(io, flags, async (reader) => {
    // Of a shape that was only counted nobody can tell whether the lock holds for it.
    if (!lock) addCounts(sightings, await reader.seenPayloads())
    const mapped: Choice[] = []
    for (const { event, fact } of await reader.mapping()) if (isFactName(fact)) mapped.push({ event, fact, paths: [] })
    return { payloads, sightings, mapped }
  })
}
