import type { MappedPath, NewShape, SeenShape } from '../port/index.ts'
import { forgettable, MOST_EVENTS, MOST_SHAPES, noveltyOf } from '../rules/shapes.ts'
import { all, one, run, sql, type Steps, type Tx } from './steps.ts'
import { untilLong } from './until-long.ts'

type Keep = <T>(operation: (tx: Tx) => Steps<T>) => Promise<T>

/**
 * Keeps the shapes that are not known yet, and answers with them: each once, whichever process saw it. Whoever may sign
 * a delivery may vary its shape, so events and shapes without room are neither kept nor answered.
 *
 * Shapes are added in short transactions: deliveries wait for each.
 */
export async function addShapes(keep: Keep, shapes: readonly SeenShape[]): Promise<readonly NewShape[]> {
  const added: NewShape[] = []
  for (let start = 0; start < shapes.length; ) {
    const portion = await keep((tx) => addSome(tx, shapes.slice(start)))
    added.push(...portion.added)
    start += portion.done
  }
  return added
}

function* addSome(
  tx: Tx,
  shapes: readonly SeenShape[],
): Steps<{ readonly done: number; readonly added: readonly NewShape[] }> {
  if (tx.newerSchema() !== undefined) return { done: shapes.length, added: [] }
  const added: NewShape[] = []
  const done = yield* untilLong(tx, shapes, function* (shape) {
    const novelty = yield* addShape(shape)
    if (novelty) added.push(novelty)
  })
  return { done, added }
}

/** Undefined if the shape is known, or has no room. */
function* addShape(shape: SeenShape): Steps<NewShape | undefined> {
  const { event, fingerprint, paths, truncated, lastAt } = shape
  const known = yield* shapesOf(event)
  if (known.some((each) => each.fingerprint === fingerprint)) {
    yield* run(sql`
      UPDATE payload_shapes SET last_at = greatest(last_at, ${lastAt})
      WHERE event = ${event} AND fingerprint = ${fingerprint}`)
    return undefined
  }
  const leaves = known.length >= MOST_SHAPES ? forgettable(known, lastAt) : undefined
  if (known.length >= MOST_SHAPES && !leaves) return undefined
  if (known.length === 0 && (yield* countEvents()) >= MOST_EVENTS) return undefined
  if (leaves) yield* run(sql`DELETE FROM payload_shapes WHERE event = ${event} AND fingerprint = ${leaves.fingerprint}`)
  yield* run(sql`
    INSERT INTO payload_shapes (event, fingerprint, paths, truncated, last_at)
    VALUES (${event}, ${fingerprint}, ${JSON.stringify(paths)}, ${truncated}, ${lastAt})`)
  return noveltyOf(
    event,
    shape,
    known.filter((each) => each !== leaves),
  )
}

function* countEvents(): Steps<number> {
  return (yield* one<{ n: number }>(sql`SELECT count(DISTINCT event) AS n FROM payload_shapes`))?.n ?? 0
}

interface Row extends Omit<SeenShape, 'paths' | 'truncated'> {
  readonly paths: string
  readonly truncated: number
}

function* shapesOf(event: string): Steps<SeenShape[]> {
  const rows = yield* all<Row>(sql`
    SELECT event, fingerprint, paths, truncated, last_at AS "lastAt" FROM payload_shapes WHERE event = ${event}`)
  return rows.map((row) => ({
    ...row,
    paths: JSON.parse(row.paths) as string[],
    truncated: row.truncated === 1,
  }))
}

// ── the app's mapping ───────────────────────────────────────────────────────────────────────────────

/** Keeps the app's mapping, in place of the last one: for a person who asks how a payload would be read. */
export function* keepMapping(given: readonly MappedPath[]): Steps<void> {
  yield* run(sql`DELETE FROM payload_mapping`)
  for (const { event, fact, path } of given)
    yield* run(sql`INSERT INTO payload_mapping (event, fact, path) VALUES (${event}, ${fact}, ${path})`)
}

export function* mapping(): Steps<readonly MappedPath[]> {
  return yield* all<MappedPath>(sql`SELECT event, fact, path FROM payload_mapping ORDER BY event, fact`)
}
