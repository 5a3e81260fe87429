import { customerLane, newFence } from '../../operations/lanes/lanes.ts'
import type { CustomerOfNumber, Fence } from '../../port/index.ts'
import type { HotStatement } from './hot.ts'
import { listsOf, rowsOf } from './rows.ts'

/** A wish for a customer's lane without an item in it, to change the session from outside a handler. */
export interface AskedTurn {
  readonly who: CustomerOfNumber
  readonly owner: string
  readonly now: number
  readonly leaseMs: number
}

/** Takes lanes for turns without items: see `takeTurn` of the operations. */
export const takeTurns: HotStatement<AskedTurn, Fence | undefined> = {
  name: 'takeTurn',
  keysOf: ({ who }) => [customerLane(who)],
  async run(tx, group, waited) {
    const rows = group.map(({ who, owner, now, leaseMs }, index) => ({
      ...newFence(customerLane(who), owner),
      number: who.number,
      since: now,
      until: now + waited(index) + leaseMs,
    }))
    const taken = new Set((await tx.rows<{ key: string }>(TAKE, listsOf(TAKEN, rows))).map(({ key }) => key))
    return rows.map(({ lane, owner, token }) => (taken.has(lane) ? { lane, owner, token } : undefined))
  },
}

const TAKEN = {
  lane: 'text',
  owner: 'text',
  token: 'bigint',
  number: 'text',
  since: 'bigint',
  until: 'bigint',
} as const

/** The row that is locked is the latest, so a lane that another has just taken is left alone. */
const TAKE = `
INSERT INTO lanes AS l (key, kind, number, ready_at, since, owner, token)
SELECT lane, 'item', number, until, since, owner, token FROM ${rowsOf(TAKEN)} ORDER BY lane
ON CONFLICT (key) DO UPDATE SET ready_at = excluded.ready_at, owner = excluded.owner, token = excluded.token
  WHERE l.owner IS NULL AND l.blocked_until <= 0
RETURNING key`
