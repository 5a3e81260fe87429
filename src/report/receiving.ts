import type { Log } from '../base/log.ts'
import { TIMESTAMP_TOLERANCE_SECONDS } from '../contract/index.ts'
import { SecretsUnknown } from '../receive/key-source.ts'
import type { ReceiveReport } from '../receive/receive.ts'
import { countFailures } from './failures.ts'
import type { Observers } from './observers.ts'
import type { LogThrottle } from './log-throttle.ts'

const MOVE_THE_PARSER =
  'the body of a delivery was read before it came here, so its signature cannot be checked: mount webhook(bot) before ' +
  'express.json() and any other body parser, or, where the parser cannot move, keep the bytes with ' +
  'express.json({ verify: keepRawBody }); with switchhook/fetch, give it the request unread, or a request.clone() made before'

const PASS_IT_ON =
  'a delivery came with a Content-Encoding and was answered 415: its signature is over the bytes as the service sent them, ' +
  'so let whatever stands in front (a proxy, a gateway) pass them on as they came'

const RAISE_THE_LIMIT =
  'a delivery is larger than the option bodyLimit allows and was answered 413, as it will be each time the service tells ' +
  'it again: raise bodyLimit'

const STALE =
  `a delivery's signature holds but its time is off by more than ${TIMESTAMP_TOLERANCE_SECONDS} s: this machine's clock ` +
  'is wrong, or the service retries late'

const UNAVAILABLE = {
  store: {
    reason: 'store_unavailable',
    message: 'a delivery could not be stored; answered 503, the service will tell it again',
  },
  secrets: {
    reason: 'secrets_unavailable',
    message: 'a delivery could not be judged without its signing secret; answered 503, the service will tell it again',
  },
} as const

/** What is said of a delivery up to its answer. */
export function reportReceiving(log: Log, quiet: LogThrottle, observers: Observers): ReceiveReport {
  const failures = countFailures(log, observers)
  return {
    refused(reason, explanation) {
      const about = { reason, ...(explanation !== undefined && { probably: explanation }) }
      if (reason === 'stale') quiet('warn', reason, STALE, about)
      else quiet('warn', reason, 'a delivery was refused', about)
      failures.refused(reason)
      observers.tell('refused', { reason })
    },
    bodyProblem(problem, signed) {
      // Anybody can send a body that is not taken, and must not be able to raise an alarm by it.
      if (signed) failures.failed()
      if (problem === 'already_parsed') quiet('error', problem, MOVE_THE_PARSER)
      else if (problem === 'encoded' && signed) quiet('error', problem, PASS_IT_ON, { reason: problem })
      else if (problem === 'too_large' && signed) quiet('error', problem, RAISE_THE_LIMIT, { reason: problem })
      else if (signed) quiet('warn', problem, "a delivery's body was not taken", { reason: problem })
      // A line of its own, so that it hides no delivery's.
      else quiet('warn', `${problem}, unsigned`, "a request's body was not taken", { reason: problem })
    },
    accepted({ deliveryId, event, subscription, unclear }, acceptance) {
      failures.answered()
      const about = { delivery: deliveryId, event, subscription }
      const observed = { ...(deliveryId && { deliveryId }), ...(event && { event }) }
      switch (acceptance) {
        case 'stored':
          log.debug(about, 'delivery stored')
          return observers.tell('accepted', observed)
        case 'duplicate':
          log.debug(about, 'delivery came again')
          return observers.tell('duplicate', observed)
        case 'quarantined':
          quiet('warn', acceptance, 'delivery quarantined: its headers cannot be understood', {
            ...about,
            reason: unclear,
          })
          return observers.tell('quarantined', { ...observed, reason: unclear ?? '' })
        case 'conflict':
          // Whether it is one, the sort will see: the service may have rendered the same message anew.
          return log.debug(about, 'this delivery id came before with other signed bytes')
        case 'stale':
          return undefined
        case 'suspected_replay':
          quiet(
            'warn',
            acceptance,
            'suspected replay: these signed bytes came before under another id or event; kept, not handled',
            about,
          )
          return observers.tell('alarm', { ...observed, reason: 'suspected_replay' })
      }
    },
    unavailable(error) {
      failures.failed()
      const { reason, message } = error instanceof SecretsUnknown ? UNAVAILABLE.secrets : UNAVAILABLE.store
      quiet('error', reason, message, { err: error })
      observers.tell('alarm', { reason, error })
    },
  }
}
