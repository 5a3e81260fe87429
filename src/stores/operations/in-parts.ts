import type { Resumed, Store } from '../port/index.ts'
import { retryItems } from './items.ts'
import { reingest } from './pending.ts'
import { type ResumedPart, resumeSends } from './restored.ts'
import type { Steps, Tx } from './steps.ts'

/** Rows in one transaction: it takes some ten milliseconds, in which nothing else is stored. */
const AT_ONCE = 250

type Write = <T>(operation: (tx: Tx) => Steps<T>) => Promise<T>

/** Operations on any number of rows, in small transactions one after the other. */
export function inParts(write: Write): Pick<Store, 'retryItems' | 'reingest' | 'resumeSends'> {
  return {
    retryItems: (ids, now) => eachPart(ids, (part) => write((tx) => retryItems(tx, part, now))),
    reingest: (seqs) => eachPart(seqs, (part) => write((tx) => reingest(tx, part))),
    async resumeSends(o) {
      let sum: Resumed | undefined
      let next: ResumedPart['next']
      do {
        const part: ResumedPart = await write((tx) => resumeSends(tx, o, AT_ONCE, next))
        next = part.next
        sum = sum
          ? { ...sum, held: sum.held + part.held, restored: sum.restored + part.restored }
          : { throttles: part.throttles, held: part.held, restored: part.restored }
      } while (next)
      return sum
    },
  }
}

async function eachPart(
  all: readonly number[],
  run: (part: readonly number[]) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  const done: number[] = []
  for (let start = 0; start < all.length; start += AT_ONCE) done.push(...(await run(all.slice(start, start + AT_ONCE))))
  return done
}
