import type { Resumed } from '../port/index.ts'
import { reingest } from './inbox/pending.ts'
import { discard } from './pruning/stages.ts'
import { type ResumedPortion, resumeSends } from './sends/restored.ts'
import { retryItem } from './turns/item-turns.ts'
import type { Steps, Tx } from './steps.ts'
import { untilLong } from './until-long.ts'

/** The most rows in one transaction, which ends earlier if it takes long. */
const MOST_ROWS = 250

type Write = <T>(operation: (tx: Tx) => Steps<T>) => Promise<T>

/** Operations on any number of rows, in small transactions one after the other. */
export function inPortions(write: Write) {
  return {
    retryItems: (ids: readonly number[], now: number) => eachOf(ids, write, (tx, id) => retryItem(tx, id, now)),
    reingest: (seqs: readonly number[]) => eachOf(seqs, write, reingest),
    discard: (seqs: readonly number[]) => eachOf(seqs, write, (_tx, seq) => discard(seq)),
    async resumeSends(o: { number?: string; restored: boolean; now: number }): Promise<Resumed> {
      let sum: Resumed | undefined
      let next: ResumedPortion['next']
      do {
        const portion: ResumedPortion = await write((tx) => resumeSends(tx, o, MOST_ROWS, next))
        next = portion.next
        sum = sum
          ? { ...sum, held: sum.held + portion.held, restored: sum.restored + portion.restored }
          : { throttles: portion.throttles, held: portion.held, restored: portion.restored }
      } while (next)
      return sum
    },
  }
}

async function eachOf(
  rows: readonly number[],
  write: Write,
  operation: (tx: Tx, row: number) => Steps<readonly number[]>,
): Promise<readonly number[]> {
  const done: number[] = []
  for (let start = 0; start < rows.length; ) {
    const portion = await write((tx) => portionOf(tx, rows.slice(start, start + MOST_ROWS), operation))
    done.push(...portion.done)
    start += portion.looked
  }
  return done
}

function* portionOf(
  tx: Tx,
  rows: readonly number[],
  operation: (tx: Tx, row: number) => Steps<readonly number[]>,
): Steps<{ readonly looked: number; readonly done: readonly number[] }> {
  const done: number[] = []
  const looked = yield* untilLong(tx, rows, function* (row) {
    done.push(...(yield* operation(tx, row)))
  })
  return { looked, done }
}
