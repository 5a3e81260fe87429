import { STATE } from '../states.ts'
import type { Begun, Fence } from '../types.ts'
import type { Prepare } from './connection.ts'
import type { Tx } from './transaction.ts'

export interface Entering {
  readonly item: number
  readonly lane: string
  readonly number: string
  readonly what: string
  readonly at: number
}

interface Row {
  readonly item: number
  readonly lane: string
  readonly owner: number
  readonly run: number
  readonly attempts: number
  readonly was_running: number
}

/** What becomes of a work row that leaves its lane. */
export type Leaving =
  | { readonly state: 'gone' }
  | { readonly state: number; readonly due: number; readonly failure?: string; readonly finished?: readonly string[] }

export type Lanes = ReturnType<typeof lanesOf>

/** The steps by which work enters, leads and leaves a lane. No other file moves a row into or out of a lane. */
export function lanesOf(prepare: Prepare) {
  const insert = prepare(`
    INSERT INTO work (item, lane, number, what, at, state, owner, run, attempts, due)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`)
  const remove = prepare('DELETE FROM work WHERE item = ? AND owner = ? AND run = ? AND state = 1')
  const moveOut = prepare(`
    UPDATE work SET state = ?, owner = NULL, due = ?, failure = ?, finished = coalesce(?, finished)
    WHERE item = ? AND owner = ? AND run = ? AND state = 1`)
  const keepHead = prepare(`
    UPDATE work SET state = 0, owner = NULL, due = ?, attempts = attempts - ?, failure = coalesce(?, failure),
      finished = coalesce(?, finished)
    WHERE item = ? AND owner = ? AND run = ? AND state = 1`)
  const nextBehind = prepare<{ item: number; at: number }>(
    'SELECT item, at FROM work WHERE lane = ? AND state = 2 ORDER BY at, item LIMIT 1',
  )
  const run = prepare<Row>(`
    UPDATE work SET state = 1, owner = ?, run = run + 1, attempts = attempts + 1 WHERE item = ?
    RETURNING item, lane, owner, run, attempts, was_running`)
  const lead = prepare('UPDATE work SET state = 0, owner = NULL, due = ? WHERE item = ?')
  const stepBack = prepare('UPDATE work SET state = 2 WHERE item = ?')
  const numbers = prepare<{ number: string }>(`
    WITH RECURSIVE n (number) AS (
      SELECT min(number) FROM work WHERE state = 0 AND what = ?
      UNION ALL
      SELECT (SELECT min(w.number) FROM work w WHERE w.state = 0 AND w.what = ? AND w.number > n.number) FROM n
      WHERE n.number IS NOT NULL)
    SELECT number FROM n WHERE number IS NOT NULL`)
  const heads = prepare<{ item: number; lane: string; at: number; run: number }>(`
    SELECT item, lane, at, run FROM work WHERE state = 0 AND what = ? AND number = ? AND due <= ?
    ORDER BY due, item LIMIT ?`)
  const rested = prepare<{ item: number }>('SELECT item FROM work WHERE state = 3 AND due <= ? LIMIT ?')
  const leadIfFree = prepare('UPDATE OR IGNORE work SET state = 0 WHERE item = ?')
  // `state < 2` lets SQLite use the index of lanes.
  const free = prepare(`
    UPDATE work SET state = 0, owner = NULL, was_running = 1
    WHERE state = 1 AND state < 2 AND owner NOT IN (SELECT id FROM processes WHERE dead = 0)`)
  const stands = prepare('SELECT 1 FROM work WHERE item = ? AND owner = ? AND run = ? AND state = 1')
  const earlier = prepare<{ late: number }>(`
    SELECT c.handled_at > i.at AS late FROM inbox i
    JOIN customers c ON c.number = i.number AND c.customer = i.customer WHERE i.id = ?`)

  function begin(tx: Tx, item: number): Begun {
    const row = run.get(tx.me, item)
    if (!row) throw new Error(`work row ${item} does not exist`)
    return {
      fence: { item, owner: tx.me, run: row.run, lane: row.lane },
      attempts: row.attempts,
      wasRunning: row.was_running === 1,
      late: earlier.get(item)?.late === 1,
    }
  }

  /** The lane was left: its next item begins here if `goOn`, or becomes its head. */
  function promote(tx: Tx, lane: string, goOn: boolean): Begun | undefined {
    if (!tx.behind) return undefined
    const next = nextBehind.get(lane)
    if (!next) return undefined
    if (goOn && tx.alive) return begin(tx, next.item)
    lead.run(tx.now, next.item)
    return undefined
  }

  return {
    /** Adds an open row. It runs here if its lane is free and `begins`; otherwise it waits in the lane. */
    enter(tx: Tx, { item, lane, number, what, at }: Entering, begins: boolean): Fence | 'waits' | 'behind' {
      const runs = begins && tx.alive
      const owner = runs ? tx.me : null
      const [state, count] = runs ? [STATE.running, 1] : [STATE.head, 0]
      if (insert.run(item, lane, number, what, at, state, owner, count, count, tx.now).changes === 1)
        return runs ? { item, owner: tx.me, run: 1, lane } : 'waits'
      insert.run(item, lane, number, what, at, STATE.behind, null, 0, 0, tx.now)
      tx.behind = true
      return 'behind'
    },

    /** Adds a row that waits for a person, outside any lane. */
    setAside(tx: Tx, { item, lane, number, what, at }: Entering): void {
      insert.run(item, lane, number, what, at, STATE.person, null, 0, 0, tx.now)
    },

    /** The one way out of a lane. Undefined if the fence no longer stands. */
    leave(tx: Tx, fence: Fence, to: Leaving, goOn: boolean): { readonly next: Begun | undefined } | undefined {
      const { item, owner, run } = fence
      const { changes } =
        to.state === 'gone'
          ? remove.run(item, owner, run)
          : moveOut.run(to.state, to.due, to.failure ?? null, textOf(to.finished), item, owner, run)
      return changes === 0 ? undefined : { next: promote(tx, fence.lane, goOn) }
    },

    /** Ends the run, and the item stays first in its lane until `due`. False if the fence no longer stands. */
    stay(
      { item, owner, run }: Fence,
      o: { due: number; counts: boolean; failure?: string; finished?: readonly string[] },
    ): boolean {
      const values = [o.due, o.counts ? 0 : 1, o.failure ?? null, textOf(o.finished), item, owner, run]
      return keepHead.run(...values).changes === 1
    },

    /** Whether the run may still have effects, in the transaction that writes them. */
    stands: ({ item, owner, run }: Fence): boolean => stands.get(item, owner, run) !== undefined,

    /**
     * Begins heads that are due: at most `perNumber` of a number, so that the backlog of one does not hold up another.
     * A head that never ran gives way to an older message behind it.
     */
    claim(tx: Tx, what: string, limit: number, perNumber: number): readonly Begun[] {
      if (!tx.alive) return []
      for (const { item } of rested.all(tx.now, limit))
        if (leadIfFree.run(item).changes === 0) {
          stepBack.run(item)
          tx.behind = true
        }
      const begun: Begun[] = []
      for (const { number } of numbers.all(what, what)) {
        const room = Math.min(perNumber, limit - begun.length)
        if (room <= 0) break
        for (const head of heads.all(what, number, tx.now, room)) {
          const older = tx.behind && head.run === 0 ? nextBehind.get(head.lane) : undefined
          const gives = older !== undefined && older.at < head.at
          if (gives) stepBack.run(head.item)
          begun.push(begin(tx, gives ? older.item : head.item))
        }
      }
      return begun
    },

    /** What dead processes ran becomes the head of its lane again. */
    takeOver: (): number => free.run().changes,
  }
}

function textOf(finished: readonly string[] | undefined): string | null {
  return finished ? JSON.stringify(finished) : null
}
