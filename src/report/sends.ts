import type { Log } from '../base/log.ts'
import { APP_CAUSE, asSend, maskedSlot, type SendReport } from '../outbox/index.ts'
import type { NewSend, SendRow } from '../stores/port/index.ts'
import type { Observers } from './observers.ts'

/** Reports sends. */
export function reportSends(log: Log, observers: Observers): SendReport {
  return {
    settled(row, settlement) {
      const about = { send: row.id, number: row.number, ...originOf(row), via: row.via, attempt: row.attempts }
      const send = asSend(row)
      switch (settlement.as) {
        case 'accepted':
          log.info(about, 'send accepted')
          return observers.notify('send_accepted', { number: row.number, send })
        case 'fall_back':
          log.info(about, 'the window is closed: the template goes out instead')
          return observers.notify('fell_back', { number: row.number, send })
        case 'refused':
          log.warn({ ...about, code: settlement.code, why: settlement.reason }, 'send refused')
          return observers.notify('send_refused', { number: row.number, send, reason: settlement.code ?? 'refused' })
        case 'held':
          log.warn(
            { ...about, code: settlement.code, why: settlement.reason },
            'send held: all sends of this number wait',
          )
          return observers.notify('send_held', { number: row.number, send, reason: settlement.code ?? 'held' })
        case 'unknown':
          log.error(
            { ...about, code: settlement.code },
            'the outcome of this send is unknown; it is not repeated any more',
          )
          return observers.notify('send_unknown', { number: row.number, send, reason: settlement.reason })
        case 'skipped':
          log.info({ ...about, code: settlement.code, why: settlement.reason }, 'send skipped')
          return undefined
        case 'gone':
          return undefined
        default:
          log.warn(
            { ...about, code: settlement.code, why: settlement.reason },
            'send not settled yet; it is tried again',
          )
      }
    },
    diverged(row, slot) {
      log.warn(
        { send: row.id, delivery: row.delivery, slot },
        'a rerun asked for another text; the recorded one stands',
      )
      observers.notify('diverged', { number: row.number, send: asSend(row), reason: slot })
    },
    throttled(number, { stopped, closedUntil, code, reason }) {
      const about = { number, code, why: reason, until: new Date(closedUntil).toISOString() }
      if (stopped)
        log.error(about, 'no send of this number goes out until the cause is mended; one send tries each minute')
      else log.warn(about, 'no send of this number goes out for a while')
    },
    templateUnsendable(send, problem) {
      const { number } = send
      log.warn(
        { number, ...originOf(send), why: problem },
        'outside the window this reply would be refused: its template is not sendable',
      )
      observers.notify('alarm', { number, reason: `template_unsendable: ${problem}` })
    },
    unforeseen(row, error) {
      log.error(
        { err: error, send: row.id, ...originOf(row) },
        'a send failed with an error that the client does not know',
      )
    },
  }
}

/** The delivery whose handler sends it, or the key that the app gave: what a person looks for in the log. */
function originOf({ delivery, cause, slot, customer }: NewSend | SendRow) {
  return {
    ...(delivery !== undefined && { delivery }),
    ...(cause === APP_CAUSE && { key: maskedSlot(slot, [customer]) }),
  }
}
