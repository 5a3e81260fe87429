import type { DeliveryDetail, ItemDetail } from '../port/index.ts'
import type { Sql } from './connection.ts'
import { ofDelivery } from './item-ids.ts'

const DELIVERY = `
  SELECT digest, (SELECT content FROM contents WHERE place = body_place) AS body FROM deliveries WHERE seq = ?`
const SENDS = `
  SELECT DISTINCT s.seq, s.id, s.state FROM items i JOIN sends s ON s.cause = i.cause AND s.number = i.number
  WHERE ${ofDelivery('i.id', '?')} ORDER BY s.seq`
const RESEMBLED_BY = 'SELECT seq FROM deliveries WHERE of_seq = ? ORDER BY seq'

/** See `Store.deliveryDetail`. */
export function deliveryDetail(sql: Sql, seq: number): DeliveryDetail | undefined {
  const found = sql(DELIVERY).get(seq) as { digest: Buffer; body: Buffer | null } | undefined
  if (!found) return undefined
  const sends = sql(SENDS).all(seq, seq) as { id: string; state: string }[]
  return {
    digest: found.digest,
    body: found.body ?? undefined,
    items: itemsOf(sql, seq),
    sends: sends.map(({ id, state }) => ({ id, state })),
    resembledBy: (sql(RESEMBLED_BY).all(seq) as { seq: number }[]).map((other) => other.seq),
  }
}

const ITEMS = `
  SELECT id, (SELECT content FROM contents WHERE place = facts_place) AS facts, cause, identity, completed_handlers,
    (SELECT json_group_array(name) FROM once_results o WHERE o.item = items.id) AS once
  FROM items WHERE ${ofDelivery('items.id', '?')} ORDER BY id`

interface Row {
  readonly id: number
  readonly facts: string | null
  readonly cause: string
  readonly identity: string | null
  readonly completed_handlers: string
  readonly once: string
}

function itemsOf(sql: Sql, seq: number): ItemDetail[] {
  return (sql(ITEMS).all(seq, seq) as Row[]).map(({ id, facts, cause, identity, once, ...row }) => ({
    id,
    facts: facts ?? undefined,
    cause,
    identity: identity ?? undefined,
    completedHandlers: JSON.parse(row.completed_handlers) as string[],
    once: JSON.parse(once) as string[],
  }))
}
