import type { DeliveryQuery, InboxState, RestingQuery } from '../../port/index.ts'
import { all, Query, sql, type Steps, when } from '../steps.ts'

/** The conditions of the indexes by state, word for word: an engine uses such an index for these words alone. */
export const INDEXED_ITEM = indexedItem('state')
const INDEXED_DELIVERY = noneOf('d.state', ['stored'])
export const INDEXED_SEND = noneOf('state', ['ready', 'attempting', 'accepted'])

function indexedItem(column: string): Query {
  return noneOf(column, ['stored', 'running', 'done'])
}

function noneOf(column: string, states: readonly string[]): Query {
  return new Query(states.map((state) => `${column} <> '${state}'`).join(' AND '))
}

/** Nearly all deliveries are in it: the newest of them are found at once. */
const COMMON: InboxState = 'done'

type Filter = Omit<DeliveryQuery, 'limit' | 'states'> & { readonly states: readonly InboxState[] }
type Wanted = Filter & { readonly limit: number; readonly oldestFirst?: boolean }

/**
 * SQL for the numbers of the deliveries in these states, so many of each at most; undefined if one of the states is too
 * common for an index.
 */
export function seqsByState(wanted: Wanted): Query | undefined {
  if (wanted.states.length === 0 || wanted.states.includes(COMMON)) return undefined
  return wanted.states
    .flatMap((state) => partsOf(state, wanted))
    .map((part) => sql`SELECT seq FROM (${part}) AS found`)
    .reduce((before, part) => sql`${before} UNION ${part}`)
}

function partsOf(state: InboxState, wanted: Wanted): Query[] {
  const { number, customer } = wanted
  const waits = state === 'stored' || state === 'running'
  const looksAtDelivery = wanted.event !== undefined || wanted.receivedFrom !== undefined
  // If the delivery's row went first, its item is left as a claim alone, without its cause.
  const items = sql`
    SELECT DISTINCT i.seq FROM items i ${when(looksAtDelivery, () => sql`JOIN deliveries d ON d.seq = i.seq`)}
    WHERE i.cause <> '' AND ${waits ? sql`i.settled_at IS NULL` : indexedItem('i.state')} AND i.state = ${state}
      ${when(number !== undefined, () => sql`AND i.number = ${number}`)}
      ${when(customer !== undefined, () => sql`AND i.customer = ${customer}`)}
      ${ofDeliveries('i.seq', wanted)}`
  // A delivery that was never read has no number and no customer.
  if (state === 'running' || number !== undefined || customer !== undefined) return [items]
  if (state === 'stored')
    return [
      items,
      sql`SELECT p.seq FROM pending p JOIN deliveries d ON d.seq = p.seq
        WHERE d.state = 'stored' ${ofDeliveries('p.seq', wanted)}`,
    ]
  return [
    items,
    sql`SELECT d.seq FROM deliveries d
      WHERE ${INDEXED_DELIVERY} AND d.state = ${state} ${ofDeliveries('d.seq', wanted)}`,
  ]
}

function ofDeliveries(seq: string, { after, newerThan, event, receivedFrom, limit, oldestFirst }: Wanted): Query {
  const column = new Query(seq)
  return sql`
    ${when(after !== undefined, () => sql`AND ${column} < ${after}`)}
    ${when(newerThan !== undefined, () => sql`AND ${column} > ${newerThan}`)}
    ${when(receivedFrom !== undefined, () => sql`AND d.received_at >= ${receivedFrom}`)}
    ${when(event !== undefined, () => sql`AND d.event = ${event}`)}
    ORDER BY ${column} ${new Query(oldestFirst === true ? 'ASC' : 'DESC')} LIMIT ${limit}`
}

/** See `Store.restingSeqs`. */
export function* restingSeqs(query: RestingQuery): Steps<number[]> {
  const seqs = seqsByState({ ...query, oldestFirst: true })
  if (seqs === undefined) return []
  const rows = yield* all<{ seq: number }>(sql`
    SELECT seq FROM (${seqs}) AS resting ORDER BY seq LIMIT ${query.limit}`)
  return rows.map(({ seq }) => seq)
}
