import type { CustomerOfNumber, Fence, Mute, TakeoverState } from '../port/index.ts'
import { isInForce, muteAfter, unmuted } from '../rules/mutes.ts'
import { holdsLane } from './fences.ts'
import { one, run, sql, type Steps } from './steps.ts'

/** Mutes the bot for a customer: see `Store.mute`. */
export function* mute(asked: Mute, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* holdsLane(fence))) return false
  const after = muteAfter(yield* lastMute(asked), asked)
  if (after) yield* writeMute(after)
  return true
}

/** Ends the mute of a customer: see `Store.unmute`. */
export function* unmute(who: CustomerOfNumber, at: number, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* holdsLane(fence))) return false
  yield* writeMute(unmuted(who, at))
  return true
}

function* writeMute({ number, customer, why, since, until }: Mute): Steps<void> {
  yield* run(sql`
    INSERT INTO mutes (number, customer, why, since, until)
    VALUES (${number}, ${customer}, ${why}, ${since}, ${until})
    ON CONFLICT (number, customer)
    DO UPDATE SET why = excluded.why, since = excluded.since, until = excluded.until`)
}

/** A customer's last mute, which may be over. */
export function* lastMute({ number, customer }: CustomerOfNumber): Steps<Mute | undefined> {
  return yield* one<Mute>(sql`
    SELECT number, customer, why, since, until FROM mutes WHERE number = ${number} AND customer = ${customer}`)
}

/** See `Store.takeoverOf`. */
export function* takeoverOf(number: string, customer: string, at: number): Steps<TakeoverState> {
  const last = yield* lastMute({ number, customer })
  const sent = yield* one<{ sent_at: number | null }>(sql`
    SELECT sent_at FROM windows WHERE number = ${number} AND customer = ${customer}`)
  return { mute: isInForce(last, at) ? last : undefined, lastSentAt: sent?.sent_at ?? undefined }
}

/** Keeps the service time of the last send to a customer that the service took. */
export function* markSent({ number, customer }: CustomerOfNumber, at: number): Steps<void> {
  yield* run(sql`
    UPDATE windows SET sent_at = greatest(coalesce(sent_at, 0), ${at})
    WHERE number = ${number} AND customer = ${customer}`)
}

/** Service time of the customer's last message with a trusted time. */
export function* lastInboundAt({ number, customer }: CustomerOfNumber): Steps<number | undefined> {
  const window = yield* one<{ last_at: number }>(sql`
    SELECT last_at FROM windows WHERE number = ${number} AND customer = ${customer}`)
  return window?.last_at
}

/** Removes windows that closed before a time, which then say no more than none; the answer counts them. */
export function* pruneWindows(before: number, limit: number): Steps<number> {
  return yield* run(sql`
    DELETE FROM windows WHERE (number, customer) IN (
      SELECT number, customer FROM windows WHERE moved_at < ${before} LIMIT ${limit})`)
}

/**
 * Removes mutes that ended before a time; the answer counts them. One that has just ended is kept, against a `BOT` that
 * comes late.
 */
export function* pruneMutes(before: number, limit: number): Steps<number> {
  return yield* run(sql`
    DELETE FROM mutes WHERE (number, customer) IN (
      SELECT number, customer FROM mutes WHERE until < ${before} LIMIT ${limit})`)
}
