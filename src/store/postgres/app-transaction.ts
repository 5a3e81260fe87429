import { optionsInvalid, SwitchhookError } from '../../base/errors.ts'
import { openSendLater } from '../outbox/open.ts'
import { one, sql, type Steps, type TxFacts } from '../steps.ts'
import type { AppTransaction, NewSend, OpenedSend } from '../types/types.ts'
import { DatabaseFault, isConflict, unavailable } from './server-faults.ts'
import { tellAll } from './notifications.ts'
import { HOME, qualified } from './schema.ts'
import { answerOf, asked } from './session.ts'

/**
 * Records a send in a transaction of the app's own: see `Store.openSendIn`. The app's session stays unchanged, since other
 * statements of the app may run between ours: tables are called by their schema, and no setting is changed.
 *
 * @param home the store's own database.
 */
export async function openSendIn(client: AppTransaction, send: NewSend, home: string): Promise<OpenedSend> {
  if (typeof client.query !== 'function')
    throw optionsInvalid('send(): tx: expected a client of the package pg, on which your transaction is open')
  const steps = recordIn(send, home)
  try {
    let step = steps.next()
    while (!step.done) {
      const query = asked(step.value)
      const answer = await client.query({ ...query, text: qualified(query.text) }).catch((error: unknown) => {
        throw new DatabaseFault(error)
      })
      step = steps.next(answerOf(answer))
    }
    return step.value
  } catch (error) {
    if (!(error instanceof DatabaseFault)) throw error
    if (isConflict(error)) throw error.cause
    throw unavailable('send(): tx: the message was not recorded in your transaction', error)
  }
}

/** The app's transaction reads nothing that decides about a send that goes out later. */
const FACTS: TxFacts = { unread: false, newerSchema: undefined, restoredUpto: undefined }

function* recordIn(send: NewSend, home: string): Steps<OpenedSend> {
  const begun = yield* one<{ transaction: string; home: string }>(sql`
    SELECT pg_current_xact_id()::text AS transaction, ${HOME} AS home`)
  if (begun?.home !== home) throw refused('this client is connected to another database than the bot')
  // Others hear of it once the transaction is committed, and not at all if it is not.
  const still = yield* one<{ transaction: string | null }>(sql`
    SELECT pg_current_xact_id_if_assigned()::text AS transaction, ${tellAll('sends')}`)
  if (still?.transaction !== begun.transaction)
    throw refused('no transaction is open on this client: take one out of the pool, and BEGIN on it first')
  return yield* openSendLater({ facts: FACTS }, send)
}

function refused(why: string): SwitchhookError {
  return new SwitchhookError('options_invalid', `send(): tx: ${why}`)
}
