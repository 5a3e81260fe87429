import type { DeliveryDetail, Failure, ItemDetail } from '../../port/index.ts'
import { ofDelivery } from '../items/item-ids.ts'
import { sendsOfCauses } from '../pruning/caused-sends.ts'
import { all, one, sql, type Steps } from '../steps.ts'

/** See `Store.deliveryDetail`. */
export function* deliveryDetail(seq: number): Steps<DeliveryDetail | undefined> {
  const found = yield* one<{ digest: Uint8Array; body: Uint8Array | null }>(sql`
    SELECT d.digest, c.body FROM deliveries d LEFT JOIN contents c ON c.place = d.body_place WHERE d.seq = ${seq}`)
  if (!found) return undefined
  const causes = yield* all<{ cause: string; number: string }>(sql`
    SELECT cause, number FROM items WHERE ${ofDelivery('items.id', seq)}`)
  const sends = yield* sendsOfCauses(causes)
  const resembling = yield* all<{ seq: number }>(sql`SELECT seq FROM deliveries WHERE of_seq = ${seq} ORDER BY seq`)
  return {
    digest: found.digest,
    body: found.body ?? undefined,
    items: yield* itemDetails(seq),
    sends: sends.map(({ id, state }) => ({ id, state })),
    resembledBy: resembling.map((other) => other.seq),
  }
}

function* itemDetails(seq: number): Steps<ItemDetail[]> {
  const rows = yield* all<{
    id: number
    facts: string | null
    cause: string
    identity: string | null
    completed_handlers: string
    failure: string | null
  }>(sql`
    SELECT i.id, f.facts, i.cause, i.identity, i.completed_handlers, i.failure
    FROM items i LEFT JOIN contents f ON f.place = i.facts_place WHERE ${ofDelivery('i.id', seq)} ORDER BY i.id`)
  const kept = yield* all<{ item: number; name: string }>(sql`
    SELECT item, name FROM once_results WHERE ${ofDelivery('item', seq)} ORDER BY item, name`)
  return rows.map(({ id, facts, cause, identity, completed_handlers: completed, failure }) => ({
    id,
    facts: facts ?? undefined,
    cause,
    identity: identity ?? undefined,
    completedHandlers: JSON.parse(completed) as string[],
    once: kept.filter(({ item }) => item === id).map(({ name }) => name),
    failure: failure === null ? undefined : (JSON.parse(failure) as Failure),
  }))
}
