import type { Store } from '../port/index.ts'
import { counts } from './counts.ts'
import { deliveryDetail } from './delivery-detail.ts'
import { deliveries, deliveriesWithId, listDeliveries } from './list-deliveries.ts'
import { openToRead } from './open-to-read.ts'
import { recordedDeliveries } from './recorded-deliveries.ts'
import { knownSecret } from '../operations/secrets.ts'

type ReadOperation =
  | 'counts'
  | 'listDeliveries'
  | 'deliveries'
  | 'deliveriesWithId'
  | 'deliveryDetail'
  | 'recordedDeliveries'
  | 'close'

/** Operations of the store that only read deliveries, for commands beside a running app. */
export interface InboxReader extends Pick<Store, ReadOperation> {
  /** A number that differs after each commit of another connection. */
  version(): number
  /** The secret that `Store.secret` has made before; undefined if nobody asked for it yet. */
  knownSecret(name: string): Uint8Array | undefined
}

/**
 * Opens a database that an app may be working on, to look at its deliveries.
 *
 * @throws SwitchhookError as `openToRead` does.
 */
export function readInbox(file: string): InboxReader {
  const connection = openToRead(file)
  const { raw, sql } = connection
  return {
    counts: async () => counts(connection),
    listDeliveries: async (query) => listDeliveries(sql, query),
    deliveries: async (seqs) => deliveries(sql, seqs),
    deliveriesWithId: async (id) => deliveriesWithId(sql, id),
    deliveryDetail: async (seq) => deliveryDetail(sql, seq),
    recordedDeliveries: async (query) => recordedDeliveries(sql, query),
    version: () => raw.pragma('data_version', { simple: true }) as number,
    knownSecret: (name) => connection.drive(knownSecret(name)),
    close: async () => connection.close(),
  }
}
