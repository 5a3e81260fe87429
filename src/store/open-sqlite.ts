import { HOLDS_LANE_MS, STATE } from './states.ts'
import { openFile, preparing } from './sqlite/connection.ts'
import { COPIES_MS, Copies } from './sqlite/copies.ts'
import { deliveriesOf } from './sqlite/deliveries.ts'
import { GroupCommit } from './sqlite/group-commit.ts'
import { lanesOf } from './sqlite/lanes.ts'
import { type Tx, transactionsOf } from './sqlite/transaction.ts'
import type { Begun, Delivery, Fence, NewItem, Outcome, Settled, Stored } from './types.ts'

const { setTimeout, clearTimeout } = globalThis

export type Store = Awaited<ReturnType<typeof openSqlite>>

/**
 * Opens the store in a file, and registers this process in it.
 *
 * @param o.now wall time that never goes back while the process runs, milliseconds.
 * @param o.leaseMs how long the process is believed to live after `renew`; the default is 10 s.
 */
export async function openSqlite(file: string, o: { readonly now: () => number; readonly leaseMs?: number }) {
  const { now, leaseMs = 10_000 } = o
  const raw = openFile(file)
  const prepare = preparing(raw)
  const lanes = lanesOf(prepare)
  const deliveries = deliveriesOf(prepare, lanes)
  const copies = new Copies(prepare)
  let copiesTimer: NodeJS.Timeout | undefined
  let me = 0
  const commits = new GroupCommit<Tx>(transactionsOf(raw, { now, me: () => me }))

  const register = prepare('INSERT INTO processes (id, expires_at) VALUES (?, ?)')
  const renew = prepare('UPDATE processes SET expires_at = ? WHERE id = ? AND dead = 0')
  const expire = prepare('UPDATE processes SET dead = 1 WHERE expires_at < ? AND dead = 0 AND id <> ?')
  const leaveProcesses = prepare('UPDATE processes SET dead = 1 WHERE id = ?')
  const result = prepare<{ result: string }>('SELECT result FROM results WHERE item = ? AND name = ?')
  const keepResult = prepare('INSERT INTO results (item, name, result) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const handled = prepare(`
    UPDATE customers SET handled_at = max(coalesce(handled_at, 0), i.at) FROM inbox i
    WHERE i.id = ? AND i.kind = 'message' AND customers.number = i.number AND customers.customer = i.customer`)

  const writeCopies = () => commits.run((tx) => tx.after(copies.write()), { rides: true })
  function count(stored: Stored, at: number): void {
    if (stored.as === 'stored' || !copies.add(stored.of, stored.as, at)) return
    copiesTimer = setTimeout(() => void writeCopies().catch(() => {}), COPIES_MS)
    copiesTimer.unref()
  }

  function settle(tx: Tx, fence: Fence, outcome: Outcome, goOn: boolean): Settled {
    const held = (next?: Begun): Settled => ({ held: true, ...(next && { next }) })
    if (outcome.as === 'released') return lanes.stay(fence, { due: tx.now, counts: false }) ? held() : { held: false }
    if (outcome.as === 'retry' && outcome.due - tx.now <= HOLDS_LANE_MS)
      return lanes.stay(fence, { ...outcome, counts: true }) ? held() : { held: false }
    if (!lanes.stands(fence)) return { held: false }
    // Only somebody behind will ask whether it is late.
    if (outcome.as === 'done' && tx.behind) handled.run(fence.item)
    const left = lanes.leave(tx, fence, leavingBy(outcome, tx.now), goOn)
    return left ? held(left.next) : { held: false }
  }

  me = await commits.run((tx) => {
    const id = tx.nextId()
    register.run(id, tx.now + leaseMs)
    return id
  })

  return {
    /** The id of this process. */
    me,

    /**
     * Stores a delivery and its items; resolves once they are on disk. Items of idle lanes begin in the same commit if
     * `begin`. Within one commit the oldest payload time is stored first.
     *
     * @throws SwitchhookError `store_unavailable`
     */
    async store(d: Delivery, items: readonly [NewItem, ...NewItem[]], { begin }: { readonly begin: boolean }) {
      const stored = await commits.run((tx) => deliveries.store(tx, d, items, begin), { at: items[0].at })
      count(stored, d.receivedAt)
      return stored
    },

    /** Begins up to `limit` items that are due and that nobody runs, at most `perNumber` of one number. */
    claim: (limit: number, perNumber = limit) => commits.run((tx) => lanes.claim(tx, 'item', limit, perNumber)),

    /** Ends a run. The lane's next item begins in the same commit if `goOn`. */
    settle: (fence: Fence, outcome: Outcome, { goOn }: { readonly goOn: boolean }) =>
      commits.run((tx) => settle(tx, fence, outcome, goOn), { rides: true }),

    /** Keeps the first result of `once`, under the run's fence. Undefined if the run is over. */
    keepResult: (fence: Fence, name: string, json: string): Promise<string | undefined> =>
      commits.run(() => {
        if (!lanes.stands(fence)) return undefined
        keepResult.run(fence.item, name, json)
        return result.get(fence.item, name)?.result
      }),

    /** Renews the lease. False if another process has declared this one dead: it begins nothing more, and must restart. */
    renew: () => commits.run((tx) => renew.run(tx.now + leaseMs, me).changes === 1),

    /** Declares processes dead whose lease has expired, and frees what they ran. Resolves to the number of freed items. */
    takeOver: () => commits.run((tx) => (expire.run(tx.now, me).changes > 0 ? lanes.takeOver() : 0)),

    /** Gives up the lease, writes what was counted and closes the file. */
    async close(): Promise<void> {
      clearTimeout(copiesTimer)
      const last = Promise.all([
        writeCopies(),
        commits.run(() => {
          leaveProcesses.run(me)
          lanes.takeOver()
        }),
      ])
      commits.close()
      await last.catch(() => {})
      raw.close()
    },
  }
}

function leavingBy(outcome: Outcome, now: number): Parameters<ReturnType<typeof lanesOf>['leave']>[2] {
  if (outcome.as === 'retry') {
    const { due, finished } = outcome
    return { state: STATE.waiting, due, ...(finished && { finished }), ...failureOf(outcome) }
  }
  if (outcome.as === 'parked') return { state: STATE.parked, due: now, ...failureOf(outcome) }
  if (outcome.as === 'dead') return { state: STATE.dead, due: now, ...failureOf(outcome) }
  return { state: 'gone' }
}

function failureOf({ failure }: { readonly failure?: string }) {
  return failure === undefined ? {} : { failure }
}
