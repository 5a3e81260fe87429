import { type Clock, endsWithin, type Timers } from '../base/clock.ts'
import { reasonOf } from '../base/errors.ts'
import { Recent } from '../base/recent.ts'
import { createStrangers } from './strangers.ts'
import { NumberUnavailable, whyOf, Wrong } from './unavailable.ts'

/** The answers of the app's source for each number, kept for as long as they may be used. */
export interface NumberCache<T> {
  /**
   * The number of that name; undefined if nobody has it. One that is known and in use comes at once, and is asked for anew
   * behind that once it is no longer fresh.
   *
   * @throws NumberUnavailable
   */
  get(name: string): Promise<T | undefined>
  /** The number as it was last known, however long ago; asks nobody. */
  lastKnown(name: string): T | undefined
  /**
   * The number as the source says after a moment of the monotonic clock: asks, unless it was asked after that. If it does not
   * answer, the number is as it was. Undefined if there is none.
   *
   * @param o.atMostEvery milliseconds between two questions of this kind; what is known then stays.
   */
  renewed(name: string, o: { readonly since: number; readonly atMostEvery?: number }): Promise<T | undefined>
}

export interface NumberCacheDeps<T> {
  /** Finds the settings of this name; undefined or null if nobody has it. */
  find(name: string): Promise<unknown>
  /** @throws what is wrong with it, in words that may be shown. */
  read(name: string, found: unknown): T
  readonly freshForMs: number
  /** A number of which nothing was heard for so long is not used any more. */
  readonly keptForMs: number
  /** Spans go by its monotonic time, so that no step of a wall clock makes an old secret live on. */
  readonly clock: Pick<Clock, 'monotonic'>
  readonly timers: Timers
  /** A question failed. Heard of once a minute at most, with the failures since. */
  failed(name: string, why: string, failures: number): void
}

/** A question that takes longer has failed: deliveries wait for it. */
const ANSWER_WITHIN_MS = 5_000
/** A number is out of use if its last answer is older than so many times `freshForMs`. */
const IDLE_AFTER = 2
/** A known number waits so long for news of it. */
const NEWS_WITHIN_MS = 1_000
/** A name that nobody has is asked for again: it may be that of a number which was just added. */
const NOBODY_FOR_MS = 10_000
/** A known number goes on as it is; a name that is not known keeps its delivery from being judged, so it is asked sooner. */
const KNOWN_AGAIN_MS = 10_000
const STRANGER_AGAIN_MS = 1_000
/** Names are made up by whoever asks, so they must not fill the memory. More are not asked for before they are asked again. */
const NAMES_WITHOUT_NUMBER = 1_000
const TELL_EVERY_MS = 60_000
const NEVER = Number.NEGATIVE_INFINITY

interface Known<T> {
  readonly number: T
  /** The time of the question whose answer this is. */
  readonly at: number
  askedAt: number
  /** The time before which a number that is no longer fresh is not asked for again. */
  againAt: number
  /** The time of the last question that was asked out of doubt. */
  doubtedAt: number
}

/** A name that has no number now, or of which the source could not say. */
interface Without {
  readonly at: number
  readonly until: number
  readonly error?: NumberUnavailable
}

export function createNumberCache<T>(o: NumberCacheDeps<T>): NumberCache<T> {
  const { clock, timers } = o
  const now = () => clock.monotonic()
  /** In the order of their answers: the first is the one of which nothing was heard for longest. */
  const known = new Map<string, Known<T>>()
  const without = new Recent<string, Without>(NAMES_WITHOUT_NUMBER)
  const asking = new Map<string, Promise<T | undefined>>()
  const strangers = createStrangers(o)
  let toldAt = NEVER
  let failures = 0

  function usable(name: string): Known<T> | undefined {
    const one = known.get(name)
    return one && now() - one.at < o.keptForMs ? one : undefined
  }

  /** One question at a time for each name: whoever asks meanwhile shares its answer. */
  function ask(name: string): Promise<T | undefined> {
    const current = asking.get(name)
    if (current) return current
    const question = () => answerTo(name)
    const answer = (usable(name) ? question() : strangers.ask(question))
      .catch((cause: unknown) => failed(name, cause))
      .finally(() => asking.delete(name))
    asking.set(name, answer)
    return answer
  }

  async function answerTo(name: string): Promise<T | undefined> {
    const at = now()
    const before = known.get(name)
    if (before) before.askedAt = at
    const finding = o.find(name).then((found) => remember(name, found, at))
    // One that fails after its time has nobody who waits for it.
    finding.catch(() => {})
    if (await endsWithin(ANSWER_WITHIN_MS, timers, finding)) return known.get(name)?.number
    throw new Wrong(`numbers.find() gave no answer within ${ANSWER_WITHIN_MS / 1_000} s`)
  }

  /** An answer that is overtaken by that to a later question counts for nothing: it may have the secret from before. */
  function remember(name: string, found: unknown, at: number): void {
    const before = known.get(name)
    if (at < Math.max(before?.at ?? at, without.get(name)?.at ?? at)) return
    const number = found === undefined || found === null ? undefined : read(name, found)
    known.delete(name)
    without.delete(name)
    if (number === undefined) return without.set(name, { at, until: now() + NOBODY_FOR_MS })
    known.set(name, { number, at, askedAt: at, againAt: 0, doubtedAt: before?.doubtedAt ?? NEVER })
    forgetOld()
  }

  function read(name: string, found: unknown): T {
    try {
      return o.read(name, found)
    } catch (error) {
      throw new Wrong(reasonOf(error))
    }
  }

  /** The secrets of a number that nobody uses do not stay in memory. */
  function forgetOld(): void {
    for (const [name, { at }] of known) {
      if (now() - at < o.keptForMs) return
      known.delete(name)
    }
  }

  /**
   * A number in use is renewed behind its use. One that nobody used for long may be gone by now, or have lost a secret, so its
   * first user waits for the answer; but for none of a source that has failed.
   */
  async function renewing(name: string, one: Known<T>): Promise<T | undefined> {
    const age = now() - one.at
    if (age < o.freshForMs || now() < one.againAt) return one.number
    const answer = ask(name)
    answer.catch(() => {})
    if (age < IDLE_AFTER * o.freshForMs || one.againAt > 0) return one.number
    const answered = await endsWithin(NEWS_WITHIN_MS, timers, answer).catch(() => false)
    return answered ? await answer : one.number
  }

  function failed(name: string, cause: unknown): never {
    const error = new NumberUnavailable(name, cause)
    if (error.crowded) throw error
    const one = usable(name)
    if (one) one.againAt = now() + KNOWN_AGAIN_MS
    else without.set(name, { at: NEVER, until: now() + STRANGER_AGAIN_MS, error })
    tell(name, whyOf(cause))
    throw error
  }

  function tell(name: string, why: string): void {
    failures++
    if (now() - toldAt < TELL_EVERY_MS) return
    o.failed(name, why, failures)
    toldAt = now()
    failures = 0
  }

  return {
    async get(name) {
      const one = usable(name)
      if (one) return await renewing(name, one)
      const none = without.get(name)
      if (!none || now() >= none.until) return await ask(name)
      if (none.error) throw none.error
      return undefined
    },
    lastKnown: (name) => known.get(name)?.number,
    async renewed(name, { since, atMostEvery = 0 }) {
      // A question that is open may be answered by what was true before the doubt.
      await asking.get(name)?.catch(() => {})
      const one = usable(name)
      if (one && one.askedAt <= since && now() - one.doubtedAt >= atMostEvery) {
        if (atMostEvery > 0) one.doubtedAt = now()
        ask(name).catch(() => {})
      }
      await asking.get(name)?.catch(() => {})
      return usable(name)?.number
    },
  }
}
