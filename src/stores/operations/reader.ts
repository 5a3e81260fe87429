import type { Store } from '../port/index.ts'
import type { Reader } from '../port/reader.ts'
import { knownSecret } from './secrets.ts'
import { type Engine, operationsOver } from './store.ts'

/** The operations of a reader over an engine that reads; each that would write is refused. */
export function readerOver(
  read: Engine['read'],
  o: { readonly held: number | undefined; readonly version: Reader['version']; readonly close: Store['close'] },
): Reader {
  return {
    ...operationsOver({ write: refuse, portion: refuse, keep: refuse, accept: refuse, read }),
    restored: o.held === undefined ? undefined : { why: 'earlier', held: o.held },
    version: o.version,
    knownSecret: (name) => read(() => knownSecret(name)),
    close: o.close,
  }
}

async function refuse(): Promise<never> {
  throw new Error('the database was opened to be read alone')
}
