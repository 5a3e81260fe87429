import type { CustomerOfNumber } from './customers.ts'
import type { Engine } from './engine.ts'
import { concerning } from './shared.ts'
import type { Steps, Tx } from './steps.ts'

type Asking = ReturnType<typeof asking>

/** How an operation runs: each makes a member of the store from the function of the same name. */
export interface Ways extends Pick<Engine, 'write' | 'portion' | 'keep'> {
  readonly reads: Asking
  readonly readsLong: Asking
  readonly writes: Asking
  /** Of operations without keys: they read, or each row that they change decides alone. */
  readonly writesFreely: Asking
  /** Of operations that use the indexes of a history. The first call makes these. */
  behindIndexes<Given extends readonly unknown[], T>(
    operation: (...given: Given) => Promise<T>,
  ): (...given: Given) => Promise<T>
  /** Of operations that concern one customer alone. */
  writesOf<Who extends CustomerOfNumber, Rest extends readonly unknown[], T>(
    operation: (who: Who, ...rest: Rest) => Steps<T>,
  ): (who: Who, ...rest: Rest) => Promise<T>
  transacts<Given extends readonly unknown[], T>(
    operation: (tx: Tx, ...given: Given) => Steps<T>,
  ): (...given: Given) => Promise<T>
}

export function waysOf({
  write,
  portion,
  keep,
  read,
  makeIndexes,
}: Pick<Engine, 'write' | 'portion' | 'keep' | 'read' | 'makeIndexes'>): Ways {
  let made: Promise<void> | undefined
  const indexes = () =>
    (made ??= makeIndexes?.().catch((error: unknown) => {
      made = undefined
      throw error
    }))
  return {
    write,
    portion,
    keep,
    reads: asking(read),
    readsLong: asking((operation) => read(operation, { long: true })),
    writes: asking(write),
    writesFreely: asking((operation) => write(operation, { keys: [] })),
    behindIndexes:
      (operation) =>
      async (...given) => {
        await indexes()
        return operation(...given)
      },
    writesOf:
      (operation) =>
      (who, ...rest) =>
        write(() => operation(who, ...rest), concerning(who)),
    transacts:
      <Given extends readonly unknown[], T>(operation: (tx: Tx, ...given: Given) => Steps<T>) =>
      (...given: Given) =>
        write((tx) => operation(tx, ...given)),
  }
}

function asking(run: <T>(operation: () => Steps<T>) => Promise<T>) {
  return <Given extends readonly unknown[], T>(operation: (...given: Given) => Steps<T>) =>
    (...given: Given) =>
      run(() => operation(...given))
}
