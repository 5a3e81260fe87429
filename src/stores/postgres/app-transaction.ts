import { optionsInvalid, SwitchhookError } from '../../base/errors.ts'
import { openSend, openSendLater } from '../operations/sends/open-send.ts'
import { one, Query, sql, type Steps, type Tx } from '../operations/steps.ts'
import type { AppTransaction, NewSend, OpenedSend } from '../port/index.ts'
import type { Store } from '../operations/store.ts'
import { DatabaseFault, isConflict, unavailable } from './faults.ts'
import { keyLock } from './key-lock.ts'
import { tellAll } from './notifications.ts'
import { qualified } from './schema.ts'
import { drive } from './session.ts'

/** The database of a connection: the server's own number, and the name that it has there. */
export const HOME = sql`(SELECT system_identifier || '/' || current_database() FROM pg_control_system())`

/**
 * Records a send in a transaction of the app's own: see `Store.openSendIn`. The app's session stays as it is, since other
 * statements of the app may run between ours: tables are called by their schema, and no setting is changed.
 *
 * @param home the store's own database.
 */
export async function openSendIn(client: AppTransaction, send: NewSend, home: string): Promise<OpenedSend> {
  if (typeof client.query !== 'function')
    throw optionsInvalid('send(): tx: expected a client of the package pg, on which your transaction is open')
  try {
    return await drive(recordIn(send, home), (query) => client.query({ ...query, text: qualified(query.text) }))
  } catch (error) {
    if (!(error instanceof DatabaseFault)) throw error
    if (isConflict(error)) throw error.cause
    throw unavailable('send(): tx: the message was not recorded in your transaction', error)
  }
}

function* recordIn(send: NewSend, home: string): Steps<OpenedSend> {
  const begun = yield* one<{ transaction: string; home: string }>(sql`
    SELECT pg_current_xact_id()::text AS transaction, ${HOME} AS home, ${lockOf(send, 'pg_advisory_xact_lock')}`)
  if (begun?.home !== home) throw refused('this client is connected to another database than the bot')
  // Others hear of it once the transaction is committed, and not at all if it is not.
  const still = yield* one<{ transaction: string | null }>(sql`
    SELECT pg_current_xact_id_if_assigned()::text AS transaction, ${tellAll('sends')}`)
  if (still?.transaction !== begun.transaction)
    throw refused('no transaction is open on this client: take one out of the pool, and BEGIN on it first')
  return yield* openSendLater(send)
}

/**
 * Opens a send as ever, but for a key under which an app's open transaction records one: an insert would wait for it, and
 * with it all that shares the transaction.
 */
export function* openUnlessTaken(
  tx: Tx,
  send: NewSend,
  o: Parameters<Store['openSend']>[1],
): Steps<OpenedSend | undefined | 'taken'> {
  const lock = yield* one<{ free: boolean }>(sql`SELECT ${lockOf(send, 'pg_try_advisory_xact_lock')} AS free`)
  return lock?.free ? yield* openSend(tx, send, o) : 'taken'
}

function lockOf({ key }: NewSend, lock: string): Query {
  return new Query(`${lock}(${keyLock('?')})`, [key])
}

function refused(why: string): SwitchhookError {
  return new SwitchhookError('options_invalid', `send(): tx: ${why}`)
}
