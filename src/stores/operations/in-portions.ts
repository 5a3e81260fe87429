import type { Resumed, Store } from '../port/index.ts'
import { retryItem } from './items.ts'
import { reingest } from './pending.ts'
import { type ResumedPortion, resumeSends } from './restored.ts'
import type { Steps, Tx } from './steps.ts'
import { untilLong } from './until-long.ts'

/** The most rows in one transaction, which ends earlier if it takes long. */
const AT_ONCE = 250

type Write = <T>(operation: (tx: Tx) => Steps<T>) => Promise<T>

/** Operations on any number of rows, in small transactions one after the other. */
export function inPortions(write: Write): Pick<Store, 'retryItems' | 'reingest' | 'resumeSends'> {
  return {
    retryItems: (ids, now) => eachOf(ids, write, (tx, id) => retryItem(tx, id, now)),
    reingest: (seqs) => eachOf(seqs, write, reingest),
    async resumeSends(o) {
      let sum: Resumed | undefined
      let next: ResumedPortion['next']
      do {
        const portion: ResumedPortion = await write((tx) => resumeSends(tx, o, AT_ONCE, next))
        next = portion.next
        sum = sum
          ? { ...sum, held: sum.held + portion.held, restored: sum.restored + portion.restored }
          : { throttles: portion.throttles, held: portion.held, restored: portion.restored }
      } while (next)
      return sum
    },
  }
}

/** The rows of which the operation is true. */
async function eachOf(
  rows: readonly number[],
  write: Write,
  operation: (tx: Tx, row: number) => Steps<boolean>,
): Promise<readonly number[]> {
  const done: number[] = []
  for (let start = 0; start < rows.length; ) {
    const portion = await write((tx) => portionOf(tx, rows.slice(start, start + AT_ONCE), operation))
    done.push(...portion.done)
    start += portion.looked
  }
  return done
}

function* portionOf(
  tx: Tx,
  rows: readonly number[],
  operation: (tx: Tx, row: number) => Steps<boolean>,
): Steps<{ readonly looked: number; readonly done: readonly number[] }> {
  const done: number[] = []
  const looked = yield* untilLong(tx, rows, function* (row) {
    if (yield* operation(tx, row)) done.push(row)
  })
  return { looked, done }
}
