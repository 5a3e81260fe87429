import { TooEarly } from '../routes/index.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'

/** An event may overtake what is known of its own send, for instance in another process. */
const SETTLES_MS = 30_000
/** So long after a send the upstream platform's id of it may not be known yet. */
const NAMED_LATE_MS = 10 * 60_000

/** Who sent what a `message.sent` speaks of whose ids name no send: see `Sent.sentBy`. */
export async function senderUnnamed(running: RunningAttempt, room: AttemptDeps): Promise<'other' | 'unclear'> {
  const { number, customer, createdAt } = running.item
  const early = createdAt + SETTLES_MS - room.clock.wall()
  if (early > 0) throw new TooEarly(early)
  if (await room.store.hadBegun(number, customer, createdAt)) throw new TooEarly()
  const { messageId, upstreamId } = running.facts.values
  if (customer === undefined || (messageId ?? upstreamId) === undefined) return 'unclear'
  if (await room.store.hasUnknown(number, customer)) return 'unclear'
  // A send goes by the service's id, and learns the other one from its statuses.
  return messageId === undefined && (await wasJustSent(running, room, customer)) ? 'unclear' : 'other'
}

async function wasJustSent({ item }: RunningAttempt, room: AttemptDeps, customer: string): Promise<boolean> {
  const now = room.clock.service()
  const { lastSentAt } = await room.store.takeoverOf(item.number, customer, now)
  return lastSentAt !== undefined && now - lastSentAt < NAMED_LATE_MS
}
