import type { Log } from '../../base/log.ts'
import { maskedSlot } from '../out/record-send.ts'
import { asSend } from '../out/send.ts'
import type { SendReport, SettledSendAttempt } from '../out/send-types.ts'
import type { NewSend, SendRow } from '../../store/types/types.ts'
import type { Hooks, Observed, Observers } from './observers.ts'
import { shownMs } from '../../base/duration.ts'
import { APP_CAUSE } from '../../store/rules/sends.ts'

export function reportSends(log: Log, observers: Observers): SendReport {
  return {
    settled(row, settlement, attempt) {
      const about = aboutSend(row, attempt)
      const observed = observedOf(row, attempt)
      const { code, reason: why } = { code: undefined, reason: undefined, ...settlement }
      const tell = (level: keyof Log, hook: keyof Hooks, line: string, reason?: string) => {
        log[level]({ ...about, code, why }, line)
        observers.notify(hook, reason === undefined ? observed : { ...observed, reason })
      }
      switch (settlement.as) {
        case 'accepted':
          return tell('info', 'send_accepted', 'send accepted')
        case 'fall_back':
          return tell('info', 'fell_back', 'the window is closed: the bot sends the template instead')
        case 'refused':
          return tell('warn', 'send_refused', 'send refused', code ?? 'refused')
        case 'held':
          return tell('warn', 'send_held', 'send held: all sends of this number wait', code ?? 'held')
        case 'unknown':
          return tell(
            'error',
            'send_unknown',
            'the outcome of this send is unknown. It is no longer repeated. `switchhook outbox show ID` shows what to do',
            why,
          )
        case 'skipped':
          return tell('info', 'send_skipped', 'send skipped', code ?? 'skipped')
        case 'gone':
          return undefined
        default:
          return tell('warn', 'send_retried', 'the attempt to send failed; it is retried', code ?? 'unknown')
      }
    },
    diverged(row, slot) {
      log.warn(
        { send: row.id, delivery: row.delivery, slot },
        'a rerun produced another text; the recorded one is used',
      )
      observers.notify('diverged', { ...observedOf(row, undefined), reason: slot })
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

function observedOf(row: SendRow, attempt: SettledSendAttempt | undefined): Observed {
  return {
    number: row.number,
    send: asSend(row),
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
