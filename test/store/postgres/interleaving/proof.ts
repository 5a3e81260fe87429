import { afterAll, beforeAll, expect, it } from 'vitest'
import { holding, openStage, type Pair, type Schedule, type Stage } from './play.ts'

/** So many schedules of chance of each pair beside those in which one process is held once. `INTERLEAVINGS` plays more. */
const BY_CHANCE = 1

/**
 * Holds each of the two once, after each of its statements, while the other one runs to its end or to a lock. What both
 * have then must be what some order of them has, one after the other.
 */
export function proves(pairs: readonly Pair[]): void {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage.close())

  it.each(pairs.map((pair) => ({ ...pair, pair })))('$of: $why', async ({ pair }) => {
    const { outcomes, steps } = await stage.inTurns(pair)
    const playing = async (schedule: Schedule, how: string) => {
      const { outcome, faults, ...went } = await stage.play(pair, schedule)
      compare(outcome, outcomes, how)
      expect(faults, `${how}: the server had to end a ring`).not.toContain(RING)
      return went
    }
    for (const first of [0, 1] as const)
      for (let after = 1; after < (steps[first] ?? 0); ) {
        const { shutOut, ends } = await playing(holding(first, after), `process ${first + 1} held after ${after} statements`)
        // Whoever waits for all that the other does has done nothing yet, also after the next statement.
        after = shutOut === undefined ? after + 1 : (ends[first]?.find((end) => end > after) ?? Infinity)
      }
    for (let seed = 0; seed < BY_CHANCE; seed++) await playing(byChance(seed), `seed ${seed}`)
  })
}

const RING = '40P01'

/** Each statement is of either process, and often of the one before. */
export function byChance(seed: number): Schedule {
  let state = seed + 1
  let last: 0 | 1 = 0
  return () => {
    // Marsaglia's xorshift, the same on every machine.
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    if ((state >>> 0) % 3 === 0) last = last === 0 ? 1 : 0
    return last
  }
}

/** Shows what differs from the nearest of them. */
export function compare(outcome: string, outcomes: ReadonlySet<string>, how: string): void {
  if (outcomes.has(outcome)) return
  const lines = linesOf(outcome)
  const differences = [...outcomes].map((one) => {
    const others = linesOf(one)
    return [
      ...[...others].filter((line) => !lines.has(line)).map((line) => `- ${line}`),
      ...[...lines].filter((line) => !others.has(line)).map((line) => `+ ${line}`),
    ]
  })
  const nearest = differences.toSorted((a, b) => a.length - b.length)[0] ?? []
  expect.fail(`${how}: this is in no order of the two\n${nearest.join('\n')}`)
}

function linesOf(outcome: string): ReadonlySet<string> {
  const { answers, rows } = JSON.parse(outcome) as { answers: unknown[]; rows: Record<string, string[]> }
  return new Set([
    ...answers.map((answer, nth) => `answer ${nth + 1}: ${JSON.stringify(answer)}`),
    ...Object.entries(rows).flatMap(([table, all]) => all.map((row) => `${table}: ${row}`)),
  ])
}
