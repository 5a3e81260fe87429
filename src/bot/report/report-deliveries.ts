import { shownMs } from '../../base/duration.ts'
import type { Log, LogThrottle } from '../../base/log.ts'
import { maskPhone } from '../../base/mask.ts'
import type { DispatchReport, EndedAttempt } from '../work/dispatcher.ts'
import { redactError } from '../work/failure.ts'
import type { StartedItem } from '../../store/types/types.ts'
import type { Observers } from './observers.ts'

export function reportDeliveries(
  log: Log,
  { throttled, development }: { readonly throttled: LogThrottle; readonly development: boolean },
  observers: Observers,
): DispatchReport {
  return {
    ingested({ deliveryId, event }, { state, items }) {
      const about = { delivery: deliveryId, event }
      for (const { reason, number } of items.filter((item) => item.state === 'parked')) {
        throttled(
          'warn',
          kindOfParking(reason ?? ''),
          'delivery parked: fix the cause, then run `switchhook inbox retry --parked`',
          { ...about, number, reason },
        )
        observers.notify('parked', { deliveryId, event, number, reason: reason ?? 'parked' })
      }
      if (state === 'quarantined') {
        throttled('warn', 'quarantined: payload', 'delivery quarantined: its payload cannot be read', about)
        observers.notify('quarantined', { deliveryId, event })
      }
      if (state === 'ignored') {
        log.debug(about, 'no handler for this event')
        observers.notify('ignored', { deliveryId, event })
      }
    },
    alarm({ deliveryId, event }, code, fact) {
      const about = { alarm: code, fact, event, delivery: deliveryId }
      throttled(
        'warn',
        `alarm:${code}:${fact ?? ''}`,
        'the payload differs from what the bot expects: compare it with the option facts',
        about,
      )
      const reason = [code, fact].filter((part) => part !== undefined).join(': ')
      observers.notify('alarm', { deliveryId, event, reason })
    },
    settled(ended) {
      const { item, settlement, error, behind = 0 } = ended
      const about = aboutAttempt(ended)
      log.debug({ ...about, customer: item.customer && maskPhone(item.customer) }, `delivery ${settlement.as}`)
      const observed = observedOf(ended)
      switch (settlement.as) {
        case 'done':
          return observers.notify('handled', observed)
        case 'ignored':
          // A developer waits for an answer. In production such messages are ordinary.
          if (development && item.kind === 'message') log.info(about, 'no route matched')
          return observers.notify('ignored', observed)
        case 'rested':
          return observers.notify('rested', observed)
        case 'released':
          return undefined
      }
      const { reason } = settlement
      const failed = { ...about, reason, ...(settlement.failure && { err: redactError(error, item) }) }
      if (settlement.as === 'retry')
        log.warn(
          { ...failed, at: new Date(settlement.at).toISOString(), ...(behind > 0 && { behind }) },
          'a handler failed; the delivery is retried',
        )
      else if (settlement.as === 'dead')
        log.error(
          failed,
          'dead letter: the delivery is kept and no longer retried. `switchhook inbox show ID` shows it, `switchhook inbox retry ID` retries it',
        )
      else
        throttled(
          'warn',
          `${kindOfParking(reason)}, by its handler`,
          'delivery parked until its payload can be read',
          failed,
        )
      observers.notify(settlement.as === 'retry' ? 'failed' : settlement.as, { ...observed, reason, error })
    },
    newShape({ event, fingerprint: shape, isFirst, gained, lost }) {
      const about = { event, shape }
      if (isFirst) log.info(about, `the first payload of this event: ${SEE_REPORT}`)
      else if (gained.length + lost.length > 0)
        log.warn(
          { ...about, gained: gained.slice(0, PATHS_NAMED), lost: lost.slice(0, PATHS_NAMED) },
          `payloads of this event have changed: ${SEE_REPORT}`,
        )
      else return
      observers.notify('alarm', { event, reason: `${isFirst ? 'shape_new' : 'shape_changed'}: ${shape}` })
    },
    laneLost(item) {
      log.warn(aboutItem(item), 'another process took over this customer: the outcome of this attempt is discarded')
    },
  }
}

const SEE_REPORT = '`switchhook payload report` shows what the bot reads of it'
const PATHS_NAMED = 5

/** Only the reason's code. After it there are paths and shapes, which a sender can vary without limit. */
function kindOfParking(reason: string): string {
  return `parked:${reason.split(':', 1)[0]}`
}

/** The route that threw, if one did. A failed attempt may have run several. */
function routeOf({ settlement, route }: EndedAttempt): { route?: string } {
  const failure = 'failure' in settlement ? settlement.failure : undefined
  const named = failure ? failure.route : route
  return named === undefined ? {} : { route: named }
}

function aboutAttempt(ended: EndedAttempt) {
  const { item, waitedMs, durationMs } = ended
  return { ...aboutItem(item), ...routeOf(ended), waitedMs: shownMs(waitedMs), durationMs: shownMs(durationMs) }
}

function aboutItem({ delivery, attempt, earlier }: StartedItem) {
  const about = { delivery: delivery.deliveryId, event: delivery.event, attempt }
  return earlier.length === 0 ? about : { ...about, messages: earlier.length + 1 }
}

/** A burst is reported once, when it is handled. */
function observedOf(ended: EndedAttempt) {
  const { item, waitedMs, durationMs } = ended
  const { delivery, number, earlier, attempt } = item
  const { deliveryId, event } = delivery
  const observed = { deliveryId, event, number, ...routeOf(ended), attempt, waitedMs, durationMs }
  if (earlier.length === 0) return observed
  return { ...observed, deliveryIds: [...new Set([...earlier.map((one) => one.deliveryId), deliveryId])] }
}
