import { knownSecret } from './meta.ts'
import type { Engine } from './engine.ts'
import { readingOperations, type Store } from './store.ts'
import { waysOf } from './ways.ts'

export interface Reader extends ReturnType<typeof readingOperations>, Pick<Store, 'restored' | 'close'> {
  version(): Promise<number | string>

  /** Returns the secret that `Store.secret` has made; undefined if it was never made. */
  knownSecret(name: string): Promise<Uint8Array | undefined>
}

export function readerOver(
  read: Engine['read'],
  o: { readonly held: number | undefined; readonly version: Reader['version']; readonly close: Store['close'] },
): Reader {
  return {
    ...readingOperations({ read }, waysOf({ write: refuse, portion: refuse, keep: refuse, read })),
    restored: o.held === undefined ? undefined : { why: 'earlier', held: o.held },
    version: o.version,
    knownSecret: (name) => read(() => knownSecret(name)),
    close: o.close,
  }
}

async function refuse(): Promise<never> {
  throw new Error('the database was opened to be read alone')
}
