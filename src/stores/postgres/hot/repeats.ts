import type { Accepted, NewDelivery } from '../../port/index.ts'
import { isRepeat } from '../../rules/acceptance.ts'
import { type HotStatement, ODD } from './hot.ts'
import { listsOf, rowsOf } from './rows.ts'

type Repeated = NewDelivery & { readonly deliveryId: string }

/** Counts repeats of deliveries that are stored: the same id, bytes and event name. */
export const countRepeats: HotStatement<Repeated, Accepted> = {
  name: 'accept of a repeat',
  keysOf: () => [],
  async run(tx, group) {
    const known = new Map<number, KnownRow>()
    const ids = group.map(({ subscription, deliveryId }) => ({ subscription, id: deliveryId }))
    for (const row of await tx.rows<KnownRow>(KNOWN, listsOf(IDS, ids))) known.set(row.n - 1, row)
    const repeats = new Map<number, number>()
    const answers = group.map((delivery, index) => {
      const row = known.get(index)
      if (!row || !isRepeat(delivery, firstOf(row, delivery))) return ODD
      repeats.set(row.seq, (repeats.get(row.seq) ?? 0) + 1)
      return { as: 'duplicate' } as const
    })
    if (repeats.size === 0) return answers
    await tx.rows(COUNT, [[...repeats.keys()], [...repeats.values()]])
    // An unsettled delivery is woken by its repeat: perhaps nobody is at work on it.
    tx.wake('items')
    return answers
  },
}

interface KnownRow {
  readonly n: number
  readonly seq: number
  readonly digest: Buffer
  readonly event: string | null
}

function firstOf({ digest, event }: KnownRow, delivery: NewDelivery) {
  return { sameBytes: digest.equals(delivery.digest), event: event ?? undefined }
}

const IDS = { subscription: 'text', id: 'text' } as const

const KNOWN = `
SELECT g.n, d.seq, d.digest, d.event FROM ${rowsOf(IDS)} CROSS JOIN LATERAL (
  SELECT seq, digest, event FROM deliveries k
  WHERE k.subscription = g.subscription AND k.delivery_id = g.id AND k.holds_id = 1 LIMIT 1) d`

const COUNT = `
WITH locked AS MATERIALIZED (
  SELECT d.seq, g.repeats FROM (
    SELECT * FROM unnest($1::bigint[], $2::bigint[]) AS g(seq, repeats) ORDER BY seq) g CROSS JOIN LATERAL (
    SELECT seq FROM deliveries k WHERE k.seq = g.seq FOR UPDATE) d)
UPDATE deliveries d SET repeats = d.repeats + l.repeats FROM locked l WHERE d.seq = l.seq`
