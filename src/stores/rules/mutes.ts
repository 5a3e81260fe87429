import type { Mute } from '../port/index.ts'

/**
 * Decides a customer's mute after another one was asked for; undefined: as it was.
 *
 * A `BOT` that comes late does not undo what was said since. Of two reasons to be silent the longer one stands.
 */
export function muteAfter(known: Mute | undefined, asked: Mute): Mute | undefined {
  if (!known) return asked
  if (asked.since < known.since && asked.why !== 'handed_over') return undefined
  const isShortened = asked.why !== known.why && asked.until > asked.since && asked.until < known.until
  return isShortened ? { ...asked, until: known.until } : asked
}

/**
 * A mute that has ended: kept, so that an older `BOT` that comes late changes nothing. It counts whatever mute was
 * known: the clock may have gone back since, as an emulator's does that starts anew over a database that was kept.
 */
export function unmuted(who: Pick<Mute, 'number' | 'customer'>, at: number): Mute {
  return { number: who.number, customer: who.customer, why: 'agent', since: at, until: at }
}

/** The mute is in force at this service time. */
export function isInForce(mute: Mute | undefined, at: number): mute is Mute {
  return mute !== undefined && mute.until > at
}
