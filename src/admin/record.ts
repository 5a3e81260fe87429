import { isA } from '../base/errors.ts'
import type { Desk } from '../bot/bot-internals.ts'
import { Refused } from './admin-http.ts'

export interface RecordedAct {
  readonly who: string
  readonly act: string
  readonly what: string
  /** The bot's number that the act concerns. Undefined if it concerns several, or all. */
  readonly number: string | undefined
}

/** Records an act before it runs, and afterwards how many rows it changed. A refused act changed none. */
export async function recorded<T>(
  { who, act, what, number }: RecordedAct,
  { store, acted }: Desk,
  run: () => Promise<T>,
  countOf: (done: T) => number,
): Promise<T> {
  const seq = await store.recordAct({ at: store.clock(), who, act, what, number })
  try {
    const done = await run()
    const count = countOf(done)
    await store.endAct(seq, count)
    acted({ who, act, what, count })
    return done
  } catch (error) {
    if (isA(error, Refused)) await store.endAct(seq, 0)
    throw error
  }
}
