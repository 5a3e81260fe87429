import { optionsInvalid } from '../../base/errors.ts'
import { toMs, type Duration } from '../../base/duration.ts'
import type { Recorded } from '../../backtest/recording.ts'
import { type DatabaseFlags, withReader } from '../support/database.ts'
import { fixturesIn } from '../support/fixtures.ts'
import type { Io } from '../support/io.ts'
import { fromDatabase, type Source } from './from-database.ts'

export interface SourceFlags extends DatabaseFlags {
  readonly from?: readonly string[]
  readonly since?: Duration
  readonly until?: Duration
  readonly event?: string
  readonly id?: readonly string[]
}

/** @throws SwitchhookError `options_invalid` if there is nothing to play. */
export async function readSource(io: Io, flags: SourceFlags, now: number): Promise<Source> {
  const source = flags.from
    ? fromFiles(flags.from)
    : await withReader(io, flags, (reader) => fromDatabase(reader, wantedBy(flags, now)))
  if (source.deliveries.length > 0) return inOrder(source)
  throw optionsInvalid('there is no recorded delivery to play: `switchhook inbox ls` shows what came')
}

function wantedBy({ event, since, until, id = [] }: SourceFlags, now: number) {
  return {
    ids: id,
    ...(event !== undefined && { event }),
    ...(since !== undefined && { receivedFrom: now - toMs(since, '--since') }),
    ...(until !== undefined && { until: now - toMs(until, '--until') }),
  }
}

/** The time of a fixture that has none: that of scenarios. */
const START = Date.parse('2026-03-04T09:00:00Z')
const APART_MS = 1_000

/** Fixtures hold no result of `once`, and of `message.sent` nobody knows whose message it was. */
function fromFiles(paths: readonly string[]): Source {
  const left = { statuses: 0, own: 0, unreadable: 0 }
  const deliveries: Recorded[] = []
  let at = START
  for (const { name, event, body, at: given } of fixturesIn(paths)) {
    if (event === 'message.status') left.statuses++
    else if (event === 'message.sent') left.own++
    else {
      at = given === undefined ? at + APART_MS : timeOf(given, name)
      deliveries.push({ id: `fixture-${deliveries.length + 1}`, event, at, body: Buffer.from(body).toString('utf8') })
    }
  }
  return { deliveries, conversations: [], left }
}

function timeOf(text: string, name: string): number {
  const at = Date.parse(text)
  if (Number.isFinite(at)) return at
  throw optionsInvalid(`--from: ${name}: at: expected an ISO time`)
}

/**
 * Lets no time go back, as it may have then, and gives each delivery an id of its own: the same one may have come to
 * several numbers.
 */
function inOrder({ deliveries, ...source }: Source): Source {
  const ids = new Set<string>()
  let latest = 0
  const played = deliveries.map((one, index) => {
    latest = Math.max(latest, one.at)
    const id = ids.has(one.id) ? `${one.id}-${index + 1}` : one.id
    ids.add(id)
    return { ...one, id, at: latest }
  })
  return { ...source, deliveries: played }
}
