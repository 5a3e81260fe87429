import type { Engine } from '../operations/store.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { type Operation, transact } from './transaction.ts'

interface Asked {
  readonly run: Operation<unknown>
  readonly at?: number | undefined
}

type Writes = Pick<Engine, 'write' | 'portion' | 'keep' | 'accept'> & Pick<GroupCommit<Asked>, 'close'>

/** Writes as operations were written for: nobody else writes in their transaction, in whatever process. */
export function createOneWriter(
  o: Omit<Parameters<typeof createGroupCommit>[0], 'way' | 'commit' | 'keysOf' | 'atOf' | 'unable'>,
): Writes {
  const { ask, close } = createGroupCommit<Asked>({
    ...o,
    way: 'alone',
    commit: (group, waited) =>
      transact(
        o.pool,
        group.map(({ run }) => run),
        waited,
      ),
    atOf: ({ at }) => at,
  })
  const write: Writes['write'] = <T>(run: Operation<T>, o: Parameters<Writes['write']>[1] = {}) =>
    ask({ run }, o) as Promise<T>
  return {
    write,
    // Whoever waits for the lock has it in between.
    portion: (run) => write(run),
    keep: <T>(run: Operation<T>) => ask({ run }, { kept: true }) as Promise<T>,
    accept: <T>(run: Operation<T>, { at = 0, ...wait }: Parameters<Engine['accept']>[1]) =>
      ask({ run, at }, wait) as Promise<T>,
    close,
  }
}
