import type { MappedPath, NewShape, SeenFact, SeenPayloads, SeenShape } from '../port/index.ts'
import { forgettable, MOST_EVENTS, MOST_FACTS, MOST_SHAPES, noveltyOf } from '../rules/shapes.ts'
import { all, one, run, sql, type Steps, type Tx, when } from './steps.ts'
import { untilLong } from './until-long.ts'

type Keep = <T>(operation: (tx: Tx) => Steps<T>) => Promise<T>

/**
 * See `Store.addPayloads`. Of a sender who varies shapes there are thousands of rows, so they are added in short
 * transactions: deliveries wait for each.
 */
export async function addPayloads(keep: Keep, { shapes, facts }: SeenPayloads): Promise<NewShape[]> {
  const rows = [...shapes, ...facts]
  const added: NewShape[] = []
  for (let start = 0; start < rows.length; ) {
    const portion = await keep((tx) => addSome(tx, rows.slice(start)))
    added.push(...portion.added)
    start += portion.done
  }
  return added
}

/** Adds rows until the transaction is long. */
function* addSome(
  tx: Tx,
  rows: readonly (SeenShape | SeenFact)[],
): Steps<{ readonly done: number; readonly added: readonly NewShape[] }> {
  if (tx.newerSchema() !== undefined) return { done: rows.length, added: [] }
  const added: NewShape[] = []
  const events = new Map<string, string>()
  const done = yield* untilLong(tx, rows, function* (row) {
    // The shapes before it may have taken the last room.
    const event = events.get(row.event) ?? (yield* roomFor(row.event))
    events.set(row.event, event)
    if ('fact' in row) return yield* addFact({ ...row, event })
    if (yield* countShape({ ...row, event })) return
    const novelty = yield* admitShape({ ...row, event })
    if (novelty) added.push(novelty)
  })
  return { done, added }
}

/** The name under which an event is kept. */
function* roomFor(event: string): Steps<string> {
  if (yield* one(sql`SELECT 1 FROM payload_shapes WHERE event = ${event} LIMIT 1`)) return event
  const kept = yield* one<{ n: number }>(sql`SELECT count(DISTINCT event) AS n FROM payload_shapes WHERE event <> ''`)
  return (kept?.n ?? 0) < MOST_EVENTS ? event : ''
}

/** False if the shape is not kept. */
function* countShape(shape: SeenShape): Steps<boolean> {
  const { event, fingerprint, deliveries, messages, firstAt, lastAt } = shape
  const counted = yield* run(sql`
    UPDATE payload_shapes SET deliveries = deliveries + ${deliveries}, messages = messages + ${messages},
      first_at = least(first_at, ${firstAt}), last_at = greatest(last_at, ${lastAt})
    WHERE event = ${event} AND fingerprint = ${fingerprint}`)
  return counted > 0
}

/** Keeps a shape that is not known, or counts it with the others for which there is no room. */
function* admitShape(shape: SeenShape): Steps<NewShape | undefined> {
  const { event, fingerprint } = shape
  const known = yield* all<{ fingerprint: string; lastAt: number }>(sql`
    SELECT fingerprint, last_at AS "lastAt" FROM payload_shapes WHERE event = ${event} AND fingerprint <> ''`)
  const leaves = known.length >= MOST_SHAPES ? forgettable(known, shape.lastAt) : undefined
  const hasRoom = event !== '' && fingerprint !== '' && (known.length < MOST_SHAPES || leaves !== undefined)
  if (!hasRoom) {
    const others = { ...shape, fingerprint: '', paths: [] }
    if (!(yield* countShape(others))) yield* insertShape(others)
    return undefined
  }
  if (leaves) yield* run(sql`DELETE FROM payload_shapes WHERE event = ${event} AND fingerprint = ${leaves.fingerprint}`)
  const before = yield* shapesOf(event)
  yield* insertShape(shape)
  return noveltyOf(
    event,
    shape,
    before.filter((each) => each.fingerprint !== ''),
  )
}

function* insertShape(shape: SeenShape): Steps<void> {
  const { event, fingerprint, paths, truncated, deliveries, messages, firstAt, lastAt } = shape
  yield* run(sql`
    INSERT INTO payload_shapes (event, fingerprint, paths, truncated, deliveries, messages, first_at, last_at)
    VALUES (${event}, ${fingerprint}, ${JSON.stringify(paths)}, ${truncated}, ${deliveries}, ${messages}, ${firstAt},
      ${lastAt})`)
}

function* addFact(fact: SeenFact): Steps<void> {
  if (yield* countFact(fact)) return
  const kept = yield* one<{ n: number }>(sql`SELECT count(*) AS n FROM payload_facts WHERE event = ${fact.event}`)
  const placed = (kept?.n ?? 0) < MOST_FACTS ? fact : { ...fact, path: '' }
  if (placed !== fact && (yield* countFact(placed))) return
  const { event, fact: name, path, how, seen, sure, firstAt, lastAt } = placed
  yield* run(sql`
    INSERT INTO payload_facts (event, fact, path, how, seen, sure, first_at, last_at)
    VALUES (${event}, ${name}, ${path}, ${how}, ${seen}, ${sure}, ${firstAt}, ${lastAt})`)
}

function* countFact({ event, fact, path, how, seen, sure, firstAt, lastAt }: SeenFact): Steps<boolean> {
  const counted = yield* run(sql`
    UPDATE payload_facts SET seen = seen + ${seen}, sure = sure + ${sure},
      first_at = least(first_at, ${firstAt}), last_at = greatest(last_at, ${lastAt})
    WHERE event = ${event} AND fact = ${fact} AND path = ${path} AND how = ${how}`)
  return counted > 0
}

// ── reading ─────────────────────────────────────────────────────────────────────────────────────────

/** See `Store.seenPayloads`. */
export function* seenPayloads(): Steps<SeenPayloads> {
  return {
    shapes: yield* shapesOf(undefined),
    facts: yield* all<SeenFact>(sql`
      SELECT event, fact, path, how, seen, sure, first_at AS "firstAt", last_at AS "lastAt"
      FROM payload_facts ORDER BY event, fact, seen DESC, path, how`),
  }
}

interface Row extends Omit<SeenShape, 'paths' | 'truncated'> {
  readonly paths: string
  readonly truncated: number
}

/** @param event undefined: of all events. */
function* shapesOf(event: string | undefined): Steps<SeenShape[]> {
  const rows = yield* all<Row>(sql`
    SELECT event, fingerprint, paths, truncated, deliveries, messages, first_at AS "firstAt", last_at AS "lastAt"
    FROM payload_shapes ${when(event !== undefined, () => sql`WHERE event = ${event}`)}
    ORDER BY event, deliveries DESC, fingerprint`)
  return rows.map((row) => ({
    ...row,
    paths: JSON.parse(row.paths) as string[],
    truncated: row.truncated === 1,
  }))
}

// ── the app's mapping ───────────────────────────────────────────────────────────────────────────────

/** See `Store.keepMapping`. */
export function* keepMapping(given: readonly MappedPath[]): Steps<void> {
  yield* run(sql`DELETE FROM payload_mapping`)
  for (const { event, fact, path } of given)
    yield* run(sql`INSERT INTO payload_mapping (event, fact, path) VALUES (${event}, ${fact}, ${path})`)
}

/** See `Store.mapping`. */
export function* mapping(): Steps<readonly MappedPath[]> {
  return yield* all<MappedPath>(sql`SELECT event, fact, path FROM payload_mapping ORDER BY event, fact`)
}
