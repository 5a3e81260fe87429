import { type Duration, toMs } from '../base/duration.ts'

/** Thrown by a handler: another attempt would change nothing. The delivery is a dead letter at once. */
export class GiveUp extends Error {
  constructor(why = 'the handler gave it up', options?: { cause?: unknown }) {
    super(why, options)
    this.name = 'GiveUp'
  }
}

/**
 * Thrown by a handler: try again after this span, and not by the usual back-off. It counts as an attempt; where the span
 * goes beyond `attempts.within` the delivery is a dead letter at once.
 */
export class RetryIn extends Error {
  readonly waitMs: number

  constructor(wait: Duration, why = 'the handler asked to be run again later') {
    super(why)
    this.name = 'RetryIn'
    this.waitMs = toMs(wait, 'RetryIn')
  }
}

/** What is told cannot be understood before something else has ended, or so long from now; the attempt does not count. */
export class TooEarly extends Error {
  readonly waitMs: number | undefined

  constructor(waitMs?: number) {
    super('it is too early to tell')
    this.waitMs = waitMs
  }
}

/** What an app's `onError` may decide about a failed attempt. */
export type Verdict = 'retry' | 'dead' | undefined
