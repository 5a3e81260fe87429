import { isTaken } from '../faults.ts'
import { type Asking, createGroupCommit, type GroupCommit, type Waited } from '../group-commit.ts'
import { type HotTx, transactBeside } from '../transaction.ts'

/** The answer of a hot statement for what is not ordinary: its operation does it then, alone. */
export const ODD = Symbol('odd')

/**
 * An operation in its ordinary case, as one statement for a whole group. It runs beside others in this and in other
 * processes, so it locks what it changes: rows of each table in the order of their keys; deliveries before lanes, and
 * lanes before what lies in them. It changes nothing for what it finds odd.
 */
export interface HotStatement<Asked, Answer> {
  readonly name: string
  /** Keys of which a group has each once, so that nothing within the statement is ambiguous. */
  keysOf(asked: Asked): readonly string[]
  atOf?(asked: Asked): number | undefined
  /**
   * Answers in the order of the group; there are fewer if time is up: the last ones have not begun. It may run again from
   * its start, and gives back the room that it took then. `waited`: see `createGroupCommit`.
   */
  run(tx: HotTx, group: readonly Asked[], waited: Waited): Promise<readonly (Answer | typeof ODD)[]>
}

export type Hot<Asked, Answer> = Pick<GroupCommit<Asked>, 'close'> & {
  /** Asks in the next group; if the answer is odd, does it `alone`. */
  ask(asked: Asked, alone: () => Promise<Answer>, o?: Asking<Answer>): Promise<Answer>
}

export interface Grouping
  extends Pick<
    Parameters<typeof createGroupCommit>[0],
    'pool' | 'timers' | 'monotonic' | 'onWake' | 'onCommit' | 'order'
  > {
  readonly onFailure: (statement: string, error: unknown) => void
}

/** Groups what is asked of a hot statement: one group at a time, which is as large as what came meanwhile. */
export function createHot<Asked, Answer>(o: Grouping, statement: HotStatement<Asked, Answer>): Hot<Asked, Answer> {
  const { ask, close } = createGroupCommit<Asked>({
    ...o,
    ...statement,
    way: 'beside',
    async commit(group, waited) {
      const run = () =>
        transactBeside(o.pool, async (tx) =>
          tx.newerSchema === undefined ? statement.run(tx, group, waited) : group.map(() => ODD),
        )
      try {
        return await run().catch((error: unknown) => {
          if (!isTaken(error)) throw error
          // Looked for anew, what another process has just stored is found: one by one the group would take long.
          return run()
        })
      } catch (error) {
        o.onFailure(statement.name, error)
        throw error
      }
    },
    unable: ODD,
  })
  return {
    async ask(asked, alone, { unwanted, ...how } = {}) {
      const heard = (late: unknown) => late !== ODD && unwanted?.(late as Answer)
      const answer = (await ask(asked, { ...how, unwanted: heard })) as Answer | typeof ODD
      return answer === ODD ? alone() : answer
    },
    close,
  }
}
