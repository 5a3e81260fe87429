import { isGenuineName, type KnownDelivery } from '../../rules/acceptance.ts'
import { all, one, oneAs, run, sql, type Steps, type Tx } from '../steps.ts'
import { ownBody, placeOfBody } from '../items/contents.ts'
import { leavePending } from './pending.ts'

/** The bytes of a spoofed delivery were dispatched under this event name before. */
export function* wasDispatchedUnder(
  { digest, event }: { readonly digest: Uint8Array; readonly event: string | undefined },
  { root }: { readonly root: number },
): Steps<boolean> {
  const dispatched = yield* one(sql`
    SELECT 1 FROM deliveries
    WHERE (seq = ${root} OR of_seq = ${root}) AND digest = ${digest} AND event = ${event}
      AND state NOT IN ('suspected_replay', 'conflict') LIMIT 1`)
  return dispatched !== undefined
}

interface Spoofed extends Pick<KnownDelivery, 'root' | 'state' | 'event' | 'ownEvent'> {
  readonly subscription: string
  readonly digest: Buffer
}

/**
 * Dispatches the genuine delivery that came before ingest found the event name of `seq` to be false, and was held as a
 * suspected replay: see the rule `earlierSpoofs`.
 */
export function* promoteGenuine(tx: Tx, seq: number): Steps<void> {
  const spoofed = (yield* oneAs<Spoofed>(sql`
    SELECT coalesce(of_seq, seq) AS root, subscription, digest, event, own_event AS "ownEvent", state
    FROM deliveries WHERE seq = ${seq}`)) as Spoofed
  const { subscription, digest } = spoofed
  const genuine = yield* genuineOf(spoofed)
  if (!genuine) return
  yield* ownBody(tx, genuine.seq)
  yield* run(sql`UPDATE deliveries SET state = 'stored', note = NULL WHERE seq = ${genuine.seq}`)
  // The id passes to the genuine delivery only from the same bytes; if other bytes have it, the conflict is theirs.
  yield* run(sql`
    UPDATE deliveries SET holds_id = 0
    WHERE subscription = ${subscription} AND delivery_id = ${genuine.delivery_id} AND holds_id = 1 AND digest = ${digest}`)
  yield* run(sql`
    UPDATE deliveries SET holds_signed = 0
    WHERE subscription = ${subscription} AND timestamp = ${genuine.timestamp} AND digest = ${digest} AND holds_signed = 1`)
  yield* run(sql`
    UPDATE deliveries SET holds_signed = 1, holds_id = CASE WHEN EXISTS (
        SELECT 1 FROM deliveries o
        WHERE o.subscription = deliveries.subscription AND o.delivery_id = deliveries.delivery_id AND o.holds_id = 1
      ) THEN 0 ELSE 1 END
    WHERE seq = ${genuine.seq}`)
  yield* leavePending(tx, genuine.seq)
}

interface Genuine {
  readonly seq: number
  readonly delivery_id: string
  readonly timestamp: number
}

function* genuineOf(spoofed: Spoofed): Steps<Genuine | undefined> {
  const { root, digest } = spoofed
  const held = yield* all<Genuine & { readonly event: string }>(sql`
    SELECT seq, event, delivery_id, timestamp FROM deliveries
    WHERE of_seq = ${root} AND digest = ${digest} AND state = 'suspected_replay' AND ${placeOfBody('deliveries')} IS NOT NULL
      AND delivery_id IS NOT NULL AND event IS NOT NULL
    ORDER BY seq`)
  for (const { event, ...one } of held)
    if (isGenuineName(event, spoofed) && !(yield* wasDispatchedUnder({ digest, event }, spoofed))) return one
  return undefined
}
