import { knownSecret } from './meta.ts'
import type { Engine } from './engine.ts'
import { operationsOver, type ReadingOfFeatures, type Store } from './store.ts'

type ReadOperation =
  | keyof ReadingOfFeatures
  | 'restored'
  | 'counts'
  | 'overview'
  | 'waitingSince'
  | 'listDeliveries'
  | 'deliveries'
  | 'deliveriesWithId'
  | 'deliveryDetail'
  | 'recordedDeliveries'
  | 'listSends'
  | 'closedThrottles'
  | 'findSend'
  | 'countKept'
  | 'customerNamed'
  | 'keptOf'
  | 'statusesOf'
  | 'mapping'
  | 'forgottenCustomers'
  | 'close'

export interface Reader extends Pick<Store, ReadOperation> {
  version(): Promise<number | string>

  /** Returns the secret that `Store.secret` has made; undefined if it was never made. */
  knownSecret(name: string): Promise<Uint8Array | undefined>
}

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
