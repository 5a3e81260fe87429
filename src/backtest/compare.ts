import { type Difference, differencesOf } from './difference.ts'
import type { Played, Recorded, Run, Runs } from './recording.ts'
import { slowerRoutes } from './slower.ts'

/** One delivery, or what no delivery caused, whose answers differ. */
export interface Changed {
  /** The delivery's id, or the name of the cause. */
  readonly id: string
  readonly event: string | undefined
  readonly at: number | undefined
  readonly route: string | undefined
  readonly differences: readonly Difference[]
}

export type Comparison = ReturnType<typeof compareRuns>

/** Compares what two versions of a bot said in the same world; each has played it twice. */
export function compareRuns(
  deliveries: readonly Recorded[],
  then: Runs,
  now: Runs,
  { slowerFactor }: { readonly slowerFactor: number },
) {
  const rows = rowsOf(deliveries, then, now)
  const changed: Changed[] = []
  /** Deliveries to which one of the two versions did not answer twice alike: nothing is said of these. */
  const notRepeatable: string[] = []
  for (const { id, event, at, before, after } of rows) {
    const [route, differences] = [after[0].route ?? before[0].route, differencesOf(before[0], after[0])]
    if (!isSame(before[0], before[1]) || !isSame(after[0], after[1])) notRepeatable.push(id)
    else if (differences.length > 0) changed.push({ id, event, at, route, differences })
  }
  const told = new Set([...changed.map(({ id }) => id), ...notRepeatable])
  return {
    deliveries: deliveries.length,
    same: deliveries.filter(({ id }) => !told.has(id)).length,
    changed,
    notRepeatable,
    slower: slowerRoutes(then, now, slowerFactor),
  }
}

/** The deliveries of a run to which the same code did not answer twice alike. */
export function unrepeated(deliveries: readonly Recorded[], runs: Runs): readonly string[] {
  return rowsOf(deliveries, runs, runs)
    .filter(({ before }) => !isSame(before[0], before[1]))
    .map(({ id }) => id)
}

interface Row {
  readonly id: string
  readonly event: string | undefined
  readonly at: number | undefined
  readonly before: readonly [Played, Played]
  readonly after: readonly [Played, Played]
}

const NOTHING: Played = { outcome: 'handled', said: [], ms: 0 }

function rowsOf(deliveries: readonly Recorded[], then: Runs, now: Runs): Row[] {
  const causes = new Set([...then, ...now].flatMap(({ apart }) => Object.keys(apart)))
  const pair = ([one, other]: Runs, pick: (run: Run) => Played | undefined): readonly [Played, Played] => [
    pick(one) ?? NOTHING,
    pick(other) ?? NOTHING,
  ]
  return [
    ...deliveries.map(({ id, event, at }, index) => {
      const pick = ({ played }: Run) => played[index]
      return { id, event, at, before: pair(then, pick), after: pair(now, pick) }
    }),
    ...[...causes].sort().map((name) => {
      const pick = ({ apart }: Run) => apart[name]
      return { id: name, event: undefined, at: undefined, before: pair(then, pick), after: pair(now, pick) }
    }),
  ]
}

function isSame(one: Played, other: Played): boolean {
  return differencesOf(one, other).length === 0
}
