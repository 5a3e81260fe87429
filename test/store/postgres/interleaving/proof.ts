import { afterAll, beforeAll, expect, it } from 'vitest'
import { holding, openStage, type Pair, type Schedule, type Stage } from './play.ts'

/** So many schedules by chance of all pairs together, and of histories that are larger. */
const MORE = Number(process.env['INTERLEAVINGS'] ?? 0)
const OF_A_PAIR = Math.ceil(1 + MORE / 100)
const LARGE = Math.max(20, MORE)
const SCHEDULES = 5
const LONGEST_MS = 120_000 + 1_000 * MORE

const asked = process.env['SEED']
/** `SEED=random` plays others, `SEED=<number>` those from that one on. */
const SEED = asked === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(asked ?? 0)

/**
 * Holds each of the two once, after each of its statements, while the other one runs to its end or to a lock. What both
 * have then must be what some order of them has, one after the other.
 */
export function proves(pairs: readonly Pair[]): void {
  const at = openedForAll()

  // Not by `each`, which cuts long titles.
  for (const pair of pairs)
    it(
      pair.is,
      async () => {
        const { outcomes, alone } = await at.stage.inTurns(pair)
        for (const first of [0, 1] as const)
          await sweep(alone[first]?.ends ?? [], (after) =>
            holds(
              at.stage,
              pair,
              outcomes,
              () => holding(first, after),
              `process ${first + 1} held after ${after} statements`,
            ),
          )
        for (let seed = SEED; seed < SEED + OF_A_PAIR; seed++)
          await holds(at.stage, pair, outcomes, () => byChance(seed), `SEED=${seed}`)
      },
      LONGEST_MS,
    )
}

/** Two pairs at once, by chance: each process has an operation of both. */
export function provesLarge(pairs: readonly Pair[]): void {
  const at = openedForAll()
  const single = pairs.filter(({ one, other, several }) => !several && one.length + other.length < 4)

  it(
    'two processes with several operations each leave what some order of those leaves',
    async () => {
      for (let seed = SEED, played = 0; played < LARGE; seed++) {
        const chance = chanceOf(seed)
        const [x, y] = [single[chance() % single.length], single[chance() % single.length]] as [Pair, Pair]
        const both = bothOf(x, y)
        // Each of them begins with its own message, which may be the same one.
        const turns = x === y ? undefined : await at.stage.inTurns(both).catch(() => undefined)
        if (!turns) continue
        for (let nth = 0; nth < SCHEDULES; nth++, played++)
          await holds(
            at.stage,
            both,
            turns.outcomes,
            () => byChance(seed + nth),
            `SEED=${seed}, ${both.is}, schedule ${nth}`,
          )
      }
    },
    LONGEST_MS,
  )
}

function bothOf(x: Pair, y: Pair): Pair {
  const of = (given: 0 | 1, act: Pair['one']) =>
    act.map(
      (operation): Pair['one'][number] =>
        (store, both, process) =>
          operation(store, (both as unknown[])[given], process),
    )
  return {
    is: `${x.is} + ${y.is}`,
    before: async (store) => [await x.before?.(store), await y.before?.(store)],
    one: [...of(0, x.one), ...of(1, y.one)],
    other: [...of(1, y.other), ...of(0, x.other)],
  }
}

function openedForAll(): { stage: Stage } {
  const at = {} as { stage: Stage }
  beforeAll(async () => {
    at.stage = await openStage()
  })
  afterAll(() => at.stage.close())
  return at
}

async function holds(
  stage: Stage,
  pair: Pair,
  outcomes: ReadonlySet<string>,
  schedule: () => Schedule,
  how: string,
): Promise<string | undefined> {
  const { outcome, faults, metAfter } = await stage.play(pair, schedule())
  expect(faults, `${how}: the server had to end a ring`).not.toContain(RING)
  compare(outcome, outcomes, how)
  return metAfter
}

const RING = '40P01'
/**
 * Holds after each statement before the last of these ends of transactions. Within one transaction locks become only more: what
 * met a lock after as many steps at two of its statements meets it there in between too.
 */
async function sweep(ends: readonly number[], hold: (after: number) => Promise<string | undefined>): Promise<void> {
  async function between(
    low: number,
    high: number,
    met: readonly [string | undefined, string | undefined],
  ): Promise<void> {
    if (high - low < 2 || (met[0] !== undefined && met[0] === met[1] && !EVERY)) return
    const middle = (low + high) >> 1
    const here = await hold(middle)
    await between(low, middle, [met[0], here])
    await between(middle, high, [here, met[1]])
  }
  let begin = 0
  for (const end of ends) {
    if (begin > 0) await hold(begin)
    const [first, last] = [begin + 1, end - 1]
    if (first <= last) {
      const met = await hold(first)
      await between(first, last, [met, first === last ? met : await hold(last)])
    }
    begin = end
  }
}

/** Leaves out none. */
const EVERY = MORE > 0

/** Each statement is of either process, and often of the one before. */
function byChance(seed: number): Schedule {
  const chance = chanceOf(seed)
  let last: 0 | 1 = 0
  return () => {
    if (chance() % 3 === 0) last = last === 0 ? 1 : 0
    return last
  }
}

/** Marsaglia's xorshift, the same on every machine. */
function chanceOf(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}

/** Shows what differs from the nearest of them. */
function compare(outcome: string, outcomes: ReadonlySet<string>, how: string): void {
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
