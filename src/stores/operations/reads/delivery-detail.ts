import type { DeliveryDetail, Failure, ItemDetail } from '../../port/index.ts'
import { placeOfBody } from '../items/contents.ts'
import { ofDelivery } from '../items/item-ids.ts'
import { sendsOfCauses } from '../pruning/caused-sends.ts'
import { all, allAs, oneAs, sql, type Steps } from '../steps.ts'

/** See `Store.deliveryDetail`. */
export function* deliveryDetail(seq: number): Steps<DeliveryDetail | undefined> {
  const found = yield* oneAs<Pick<DeliveryDetail, 'digest' | 'body'>>(sql`
    SELECT d.digest, c.body FROM deliveries d LEFT JOIN contents c ON c.place = ${placeOfBody('d')} WHERE d.seq = ${seq}`)
  if (!found) return undefined
  const causes = yield* all<{ cause: string; number: string }>(sql`
    SELECT cause, number FROM items WHERE ${ofDelivery('items.id', seq)}`)
  const sends = yield* sendsOfCauses(causes)
  const resembling = yield* all<{ seq: number }>(sql`SELECT seq FROM deliveries WHERE of_seq = ${seq} ORDER BY seq`)
  return {
    ...found,
    items: yield* itemDetails(seq),
    sends: sends.map(({ id, state }) => ({ id, state })),
    resembledBy: resembling.map((other) => other.seq),
  }
}

interface Row extends Omit<ItemDetail, 'completedHandlers' | 'once' | 'failure'> {
  readonly completed: string
  readonly failure: string | undefined
}

function* itemDetails(seq: number): Steps<ItemDetail[]> {
  const rows = yield* allAs<Row>(sql`
    SELECT i.id, f.facts, i.cause, i.identity, i.completed_handlers AS completed, i.failure
    FROM items i LEFT JOIN contents f ON f.place = i.facts_place WHERE ${ofDelivery('i.id', seq)} ORDER BY i.id`)
  const kept = yield* all<{ item: number; name: string }>(sql`
    SELECT item, name FROM once_results WHERE ${ofDelivery('item', seq)} ORDER BY item, name`)
  return rows.map(({ completed, failure, ...row }) => ({
    ...row,
    completedHandlers: JSON.parse(completed) as string[],
    once: kept.filter(({ item }) => item === row.id).map(({ name }) => name),
    failure: failure === undefined ? undefined : (JSON.parse(failure) as Failure),
  }))
}
