import { resolve } from 'node:path'
import type { Store, Work } from '../port/index.ts'
import { realTimers, type Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import { endImpossibleWaits, shiftBackoffs } from './clock-rollback.ts'
import { accept } from './accept.ts'
import { claimItems } from './claim-items.ts'
import { BUSY_MS, type Connection, openConnection, OPENING_BUSY_MS, unavailable } from './connection.ts'
import { counts } from './counts.ts'
import { deliveryDetail } from './delivery-detail.ts'
import { deliveries, deliveriesWithId, listDeliveries } from './list-deliveries.ts'
import { prunable } from './prunable.ts'
import { recordedDeliveries } from './recorded-deliveries.ts'
import { truncateWal } from './truncate-wal.ts'
import { openCode } from './codes.ts'
import { customerOf, mute } from '../operations/customers.ts'
import { holding } from '../operations/holding.ts'
import { keepOnce, onceResult } from '../operations/once.ts'
import { findSend, listSends, underWay } from '../operations/sends.ts'
import { claimReached, statusesOf } from '../operations/statuses.ts'
import { closedThrottles } from '../operations/throttles.ts'
import { secret } from '../operations/secrets.ts'
import { forget, unhandledNaming } from './forget.ts'
import { admit, keepBeside, raiseGeneration } from './generation.ts'
import { createGroupCommit } from './group-commit.ts'
import { watchFileIdentity } from './file-identity.ts'
import { renewLanes } from './lanes.ts'
import { migrate } from './migrate.ts'
import { openSend } from './open-send.ts'
import { prune } from './prune.ts'
import { resolveSend } from './resolve-send.ts'
import { resumeSends } from './resume-sends.ts'
import { retryItems } from './retry-items.ts'
import { cancelSend } from './scheduled.ts'
import { beginSend, claimSends, settleSend } from './send-attempts.ts'
import { settleItem } from './settle-item.ts'
import { ingest } from './ingest.ts'
import { reingest } from './reingest.ts'
import { freeAbandonedLanes } from './free-abandoned-lanes.ts'
import { pendingDeliveries } from './pending.ts'

const LAST_OFFSET = 'SELECT clock_offset FROM deliveries ORDER BY seq DESC LIMIT 1'

/**
 * Opens the embedded store. Writes of one turn of the event loop share one commit; reads go straight to the connection.
 * `restored` holds all sends, as for a database that was brought back from a backup; if the generation shows that it
 * was, they are held unasked (see `admit`).
 *
 * @throws SwitchhookError `store_unavailable` if the file cannot be opened, `store_newer` if a newer release wrote it.
 */
export function openSqlite(
  database: string,
  o: { timers?: Timers; connect?: typeof openConnection; restored?: boolean } = {},
): Store {
  // An app may go to another folder after the start, and the file is opened anew after a failed commit.
  const file = database === ':memory:' ? database : resolve(database)
  const connect = o.connect ?? openConnection
  const first = prepared(connect(file), file, o.restored ?? false)
  let connection: Connection | undefined = first.connection
  if (file !== ':memory:') {
    // The probe needs to be alone, so our own connection steps aside for a moment.
    connection.close()
    freeAbandonedLanes(file)
    connection = connect(file)
  }
  const checkFileIdentity = watchFileIdentity(file)
  const listeners = new Set<(work: Work) => void>()

  const db = (): Connection => {
    if (!connection) throw new SwitchhookError('store_unavailable', `the database ${file} is closed`)
    return connection
  }

  const commit = createGroupCommit({
    connection: db,
    reopen() {
      // If the file is gone, opening would make a new one in its place.
      checkFileIdentity()
      connection?.close()
      connection = undefined
      connection = connect(file)
    },
    timers: o.timers ?? realTimers,
    onWake(work) {
      for (const listener of listeners) listener(work)
    },
  })

  return {
    restored: first.restored,
    isNew: first.isNew,
    async accept(delivery) {
      checkFileIdentity()
      return commit.run((tx) => accept(tx, delivery))
    },
    pending: async (limit) => pendingDeliveries(db(), limit),
    ingest: (seq, ingested, now) => commit.run((tx) => ingest(tx, seq, ingested, now)),
    claimItems: (claim) => commit.run((tx) => claimItems(tx, claim)),
    settleItem: (fence, item, settlement, next) => commit.keep((tx) => settleItem(tx, fence, item, settlement, next)),
    onceResult: async (item, name) => db().drive(onceResult(item, name)),
    keepOnce: (fence, item, name, result) => commit.keep((tx) => tx.drive(keepOnce(fence, item, name, result))),
    openSend: (send, fence) => commit.run((tx) => tx.drive(openSend(tx, send, fence))),
    claimSends: (claim) => commit.run((tx) => tx.drive(claimSends(tx, claim))),
    beginSend: (fence, send, via, now, bytes) => commit.run((tx) => tx.drive(beginSend(fence, send, via, now, bytes))),
    settleSend: (fence, send, settlement, next, throttle) =>
      commit.keep((tx) => tx.drive(settleSend(tx, fence, send, settlement, next, throttle))),
    openCode: (code, keys, lease) => commit.run((tx) => tx.drive(openCode(tx, code, keys, lease))),
    cancelSend: (key, now) => commit.run((tx) => tx.drive(cancelSend(key, now))),
    mute: (asked, fence) => commit.run((tx) => tx.drive(mute(asked, fence))),
    forget: (who, now, fence) => commit.run((tx) => forget(tx, who, now, fence)),
    customerOf: async (number, customer, at) => db().drive(customerOf(number, customer, at)),
    secret: (name) => commit.run((tx) => tx.drive(secret(name))),
    claimReached: (item, message, statuses) => commit.run((tx) => tx.drive(claimReached(item, message, statuses))),
    underWay: async (number, customer, by) => db().drive(underWay(number, customer, by)),
    findSend: async (by) => db().drive(findSend(by)),
    listSends: async (query) => db().drive(listSends(query)),
    closedThrottles: async (now) => db().drive(closedThrottles(now)),
    statusesOf: async (send) => db().drive(statusesOf(send)),
    renew: (fences, now, leaseMs) =>
      commit.run((tx) => {
        shiftBackoffs(tx, now)
        renewLanes(tx, fences, now, leaseMs)
        endImpossibleWaits(tx, now, leaseMs)
      }),
    lastClockOffset: async () =>
      (db().sql(LAST_OFFSET).get() as { clock_offset: number } | undefined)?.clock_offset ?? 0,
    onWork(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    counts: async () => counts(db()),
    listDeliveries: async (query) => listDeliveries(db().sql, query),
    deliveries: async (seqs) => deliveries(db().sql, seqs),
    deliveriesWithId: async (id) => deliveriesWithId(db().sql, id),
    deliveryDetail: async (seq) => deliveryDetail(db().sql, seq),
    recordedDeliveries: async (query) => recordedDeliveries(db().sql, query),
    prunable: async (o) => prunable(db().sql, o),
    holding: async (customer) => db().drive(holding(customer, unhandledNaming(customer))),
    retryItems: (ids, now) => commit.run((tx) => retryItems(tx, ids, now)),
    reingest: (seqs) => commit.run((tx) => reingest(tx, seqs)),
    resumeSends: (o) => commit.run((tx) => tx.drive(resumeSends(tx, o))),
    resolveSend: (id, as, now) => commit.run((tx) => tx.drive(resolveSend(tx, id, as, now))),
    prune: (pruning) => commit.run((tx) => prune(tx, pruning)),
    async compact() {
      keepBeside(file, await commit.run((tx) => raiseGeneration(tx.sql)))
      return truncateWal(db(), file)
    },
    async close() {
      commit.close()
      connection?.close()
      connection = undefined
    },
  }
}

function prepared(connection: Connection, file: string, restored: boolean) {
  try {
    connection.raw.pragma(`busy_timeout = ${OPENING_BUSY_MS}`)
    migrate(connection, file)
    const admitted = admit(connection, file, restored)
    connection.raw.pragma(`busy_timeout = ${BUSY_MS}`)
    return { connection, ...admitted }
  } catch (error) {
    connection.close()
    throw error instanceof SwitchhookError ? error : unavailable(file, error)
  }
}
