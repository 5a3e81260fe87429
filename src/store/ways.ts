import type { CustomerOfNumber } from './customers.ts'
import type { Engine } from './engine.ts'
import { concerning } from './shared.ts'
import type { Steps, Tx } from './steps.ts'

type Asking = ReturnType<typeof asking>

/** How an operation runs: each makes a member of the store from the function of the same name. */
export interface Ways extends Pick<Engine, 'write' | 'portion'> {
  readonly reads: Asking
  readonly readsLong: Asking
  readonly writes: Asking
  /** Of operations without keys: they read, or each row that they change decides alone. */
  readonly writesFreely: Asking
  /** Of operations that concern one customer alone. */
  writesOf<Who extends CustomerOfNumber, Rest extends readonly unknown[], T>(
    operation: (who: Who, ...rest: Rest) => Steps<T>,
  ): (who: Who, ...rest: Rest) => Promise<T>
  transacts<Given extends readonly unknown[], T>(
    operation: (tx: Tx, ...given: Given) => Steps<T>,
  ): (...given: Given) => Promise<T>
}

export function waysOf({ write, portion, read }: Pick<Engine, 'write' | 'portion' | 'read'>): Ways {
  return {
    write,
    portion,
    reads: asking(read),
    readsLong: asking((operation) => read(operation, { long: true })),
    writes: asking(write),
    writesFreely: asking((operation) => write(operation, { keys: [] })),
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

/** What all types of a union have together. */
export type AllOf<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never
