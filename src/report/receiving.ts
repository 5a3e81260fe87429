import type { Log } from '../base/log.ts'
import type { ReceiveReport } from '../receive/receive.ts'
import type { Observers } from './observers.ts'
import type { Quiet } from './quiet.ts'

const MOVE_THE_PARSER =
  'the body of a delivery was read before it came here, so its signature cannot be checked: mount webhook(bot) before ' +
  'express.json() and any other body parser, or, where the parser cannot move, keep the bytes with ' +
  'express.json({ verify: keepRawBody })'

/** What is said of a delivery up to its answer. */
export function reportReceiving(log: Log, quiet: Quiet, observers: Observers): ReceiveReport {
  return {
    refused(reason) {
      if (reason === 'stale')
        quiet(
          'warn',
          reason,
          "a delivery's signature holds but its time is off by more than 300 s: this machine's clock is wrong, or the service retries late",
        )
      else quiet('warn', reason, 'a delivery was refused', { reason })
      observers.tell('refused', { reason })
    },
    bodyProblem(problem) {
      if (problem === 'already_parsed') quiet('error', problem, MOVE_THE_PARSER)
      else quiet('warn', problem, "a request's body was not taken", { reason: problem })
    },
    accepted({ deliveryId, event, subscription, unclear }, acceptance) {
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
          quiet(
            'warn',
            acceptance,
            'conflict: this delivery id came before with other signed bytes; kept, not handled',
            about,
          )
          return observers.tell('alarm', { ...observed, reason: 'conflict' })
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
      const message = 'a delivery could not be stored; answered 503, the service will tell it again'
      quiet('error', 'unavailable', message, { err: error })
      observers.tell('alarm', { reason: 'store_unavailable', error })
    },
  }
}
