import type { Query, Steps } from '../operations/steps.ts'
import { latestQuery } from '../operations/recorded-deliveries.ts'
import { heldSends } from '../operations/restored.ts'
import { knownSecret } from '../operations/secrets.ts'
import { operationsOver } from '../operations/store.ts'
import type { RecordedDelivery, Store } from '../port/index.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { type Connection, unavailable } from './connection.ts'
import { openToRead } from './open-to-read.ts'
import { newerSchema } from './schema-version.ts'

type ReadOperation =
  | 'restored'
  | 'counts'
  | 'waitingSince'
  | 'listDeliveries'
  | 'deliveries'
  | 'deliveriesWithId'
  | 'deliveryDetail'
  | 'recordedDeliveries'
  | 'listSends'
  | 'listConversations'
  | 'closedThrottles'
  | 'findSend'
  | 'statusesOf'
  | 'seenPayloads'
  | 'mapping'
  | 'close'

/** Operations of the store that only read, for commands beside a running app. */
export interface Reader extends Pick<Store, ReadOperation> {
  /** A number that differs after each commit of another connection. */
  version(): number
  /** The secret that `Store.secret` has made before; undefined if nobody asked for it yet. */
  knownSecret(name: string): Uint8Array | undefined
}

/**
 * Opens a database that an app may be working on, to look into it.
 *
 * @throws SwitchhookError as `openToRead` does.
 */
export function openReader(file: string): Reader {
  const connection = openToRead(file)
  const { raw, drive, close } = connection
  const held = drive(heldSends())
  return {
    ...operationsOver({
      write: refuse,
      portion: refuse,
      keep: refuse,
      accept: refuse,
      read: async (steps) => readOver(connection, steps),
    }),
    restored: held === undefined ? undefined : { why: 'earlier', held },
    version: () => raw.pragma('data_version', { simple: true }) as number,
    knownSecret: (name) => drive(knownSecret(name)),
    close: async () => close(),
  }
}

/** Reads straight from a connection. */
export function readOver<T>(
  { sql, drive }: Connection,
  operation: (tx: { newerSchema(): number | undefined }) => Steps<T>,
): T {
  return drive(operation({ newerSchema: () => newerSchema(sql) }))
}

async function refuse(): Promise<never> {
  throw new SwitchhookError('store_unavailable', 'the database was opened to be read alone')
}

/**
 * Reads the latest recorded deliveries of each event out of a database that an app may be working on: it is neither
 * created nor migrated nor written (if no app runs, SQLite leaves an empty log beside it, which the next app clears).
 * `bytes` bounds what is held in memory; a first delivery is read whatever its size.
 *
 * @throws SwitchhookError as `openToRead` does.
 */
export function latestDeliveries(
  file: string,
  { perEvent, bytes }: { readonly perEvent: number; readonly bytes: number },
): RecordedDelivery[] {
  const connection = openToRead(file)
  try {
    const found: RecordedDelivery[] = []
    let size = 0
    for (const row of rowsOf<RecordedDelivery>(connection, latestQuery(perEvent))) {
      size += row.body.length
      if (found.length > 0 && size > bytes) break
      found.push(row)
    }
    return found
  } catch (error) {
    throw unavailable(file, error)
  } finally {
    connection.close()
  }
}

function rowsOf<Row>({ sql }: Connection, { text, values }: Query): IterableIterator<Row> {
  return sql(text).iterate(values) as IterableIterator<Row>
}
