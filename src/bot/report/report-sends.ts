import type { Log } from '../../base/log.ts'
import { maskedSlot } from '../out/record-send.ts'
import { asSend, type Send } from '../out/send.ts'
import type { SendReport, SettledSendAttempt } from '../out/send-types.ts'
import type { NewSend, SendRow } from '../../store/types/types.ts'
import type { Observed, Observers } from './observers.ts'
import { shownMs } from '../../base/duration.ts'
import { APP_CAUSE } from '../../store/rules/sends.ts'

export function reportSends(log: Log, observers: Observers): SendReport {
  return {
    settled(row, settlement, attempt) {
      const about = aboutSend(row, attempt)
      const send = asSend(row)
      const observed = observedOf(row, send, attempt)
      switch (settlement.as) {
        case 'accepted':
          log.info(about, 'send accepted')
          return observers.notify('send_accepted', observed)
        case 'fall_back':
          log.info(about, 'the window is closed: the bot sends the template instead')
          return observers.notify('fell_back', observed)
        case 'refused':
          log.warn({ ...about, code: settlement.code, why: settlement.reason }, 'send refused')
          return observers.notify('send_refused', { ...observed, reason: settlement.code ?? 'refused' })
        case 'held':
          log.warn(
            { ...about, code: settlement.code, why: settlement.reason },
            'send held: all sends of this number wait',
          )
          return observers.notify('send_held', { ...observed, reason: settlement.code ?? 'held' })
        case 'unknown':
          log.error(
            { ...about, code: settlement.code },
            'the outcome of this send is unknown. It is no longer repeated. `switchhook outbox show ID` shows what to do',
          )
          return observers.notify('send_unknown', { ...observed, reason: settlement.reason })
        case 'skipped':
          log.info({ ...about, code: settlement.code, why: settlement.reason }, 'send skipped')
          return observers.notify('send_skipped', { ...observed, reason: settlement.code ?? 'skipped' })
        case 'gone':
          return undefined
        default:
          log.warn(
            { ...about, code: settlement.code, why: settlement.reason },
            'the attempt to send failed; it is retried',
          )
          return observers.notify('send_retried', { ...observed, reason: settlement.code ?? 'unknown' })
      }
    },
    diverged(row, slot) {
      log.warn(
        { send: row.id, delivery: row.delivery, slot },
        'a rerun produced another text; the recorded one is used',
      )
      observers.notify('diverged', { ...observedOf(row, asSend(row), undefined), reason: slot })
    },
    throttled(number, { stopped, closedUntil, code, reason }) {
      const about = { number, code, why: reason, until: new Date(closedUntil).toISOString() }
      if (stopped) log.error(about, 'this number does not send until the cause is fixed. One send is tried each minute')
      else log.warn(about, 'this number does not send until the given time')
    },
    templateUnsendable(send, problem) {
      const { number } = send
      log.warn(
        { number, ...originOf(send), why: problem },
        'outside the window the service would refuse this reply, because its template cannot be sent',
      )
      observers.notify('alarm', { number, reason: `template_unsendable: ${problem}` })
    },
    unexpectedError(row, error) {
      log.error({ err: error, send: row.id, ...originOf(row) }, 'a send failed with an unexpected error')
    },
  }
}

function aboutSend(row: SendRow, attempt: SettledSendAttempt | undefined) {
  const about = { send: row.id, number: row.number, ...originOf(row), state: row.state, via: attempt?.via ?? row.via }
  return attempt ? { ...about, attempt: attempt.number, durationMs: shownMs(attempt.durationMs) } : about
}

function observedOf(row: SendRow, send: Send, attempt: SettledSendAttempt | undefined): Observed {
  return {
    number: row.number,
    send,
    ...(row.delivery !== undefined && { deliveryId: row.delivery }),
    via: attempt?.via ?? row.via,
    ...(attempt && { attempt: attempt.number, durationMs: attempt.durationMs }),
  }
}

/** The delivery whose handler sends it, or the app's key. People search the log for these. */
function originOf({ delivery, cause, slot, customer }: NewSend | SendRow) {
  return {
    ...(delivery !== undefined && { delivery }),
    ...(cause === APP_CAUSE && { key: maskedSlot(slot, [customer]) }),
  }
}
