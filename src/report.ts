import type { Clock } from './base/clock.ts'
import { maskPhone } from './base/mask.ts'
import type { Log } from './base/log.ts'
import { EVENTS } from './contract/index.ts'
import type { DispatchReport } from './dispatch/index.ts'
import type { ReceiveReport } from './receive/receive.ts'

/** A flood of one kind is one line in this time, with a count. */
const QUIET_MS = 10_000

const MOVE_THE_PARSER =
  'the body of a delivery was read before it came here, so its signature cannot be checked: mount webhook(bot) before ' +
  'express.json() and any other body parser, or, where the parser cannot move, keep the bytes with ' +
  'express.json({ verify: keepRawBody })'

/** What the process's log says of deliveries. No phone number and no text above debug. */
export function createReport(given: Log, clock: Clock): ReceiveReport & DispatchReport {
  const log = harmless(given)
  const quieted = new Map<string, { since: number; count: number }>()

  /** Says the first at once, and the rest as a number: whoever sends does not decide how much is logged. */
  function say(level: 'warn' | 'error', kind: string, message: string, about: object = {}): void {
    const now = clock.wall()
    const last = quieted.get(kind)
    // Either way, since a clock that was set back must not silence what its own error caused.
    if (last && Math.abs(now - last.since) < QUIET_MS) {
      last.count++
      return
    }
    log[level]({ ...about, ...(last && last.count > 0 && { more: last.count }) }, message)
    quieted.set(kind, { since: now, count: 0 })
  }

  const warn = (kind: string, message: string, about?: object) => say('warn', kind, message, about)

  return {
    refused(reason) {
      if (reason === 'stale')
        warn(reason, "a delivery's signature holds but its time is off by more than 300 s: check this machine's clock")
      else warn(reason, 'a delivery was refused', { reason })
    },
    bodyProblem(problem) {
      if (problem === 'already_parsed') say('error', problem, MOVE_THE_PARSER)
      else warn(problem, "a request's body was not taken", { reason: problem })
    },
    accepted({ deliveryId, event, subscription, unclear }, acceptance) {
      const about = { delivery: deliveryId, event, subscription }
      if (acceptance === 'stored') log.debug(about, 'delivery stored')
      else if (acceptance === 'duplicate') log.debug(about, 'delivery came again')
      else if (acceptance === 'quarantined')
        warn(acceptance, 'delivery quarantined: its headers cannot be understood', { ...about, reason: unclear })
      else if (acceptance === 'conflict')
        warn(acceptance, 'conflict: this delivery id came before with other signed bytes; kept, not handled', about)
      else
        warn(
          acceptance,
          'suspected replay: these signed bytes came before under another id or event; kept, not handled',
          about,
        )
    },
    unavailable(error) {
      const message = 'a delivery could not be stored; answered 503, the service will tell it again'
      say('error', 'unavailable', message, { err: error })
    },
    sorted(delivery, state) {
      const about = { delivery: delivery.deliveryId, event: delivery.event }
      if (state === 'quarantined') log.warn(about, 'delivery quarantined: its payload cannot be understood')
      if (state === 'ignored') log.debug(about, 'no handler for this event')
    },
    alarm(delivery, code, fact) {
      warn(`alarm:${code}:${fact ?? ''}`, 'something about a payload that a person should know', {
        alarm: code,
        fact,
        event: delivery.event,
        delivery: delivery.deliveryId,
      })
    },
    settled(item, settlement) {
      const about = { delivery: item.delivery.deliveryId, event: item.delivery.event, attempt: item.attempt }
      log.debug({ ...about, customer: item.customer && maskPhone(item.customer) }, `delivery ${settlement.as}`)
      if (settlement.as === 'retry')
        log.warn(
          { ...about, reason: settlement.reason, at: new Date(settlement.at).toISOString() },
          'a handler failed; it is tried again',
        )
      if (settlement.as === 'parked')
        log.warn({ ...about, reason: settlement.reason }, 'delivery parked until its payload can be read')
      if (settlement.as === 'dead')
        log.error({ ...about, reason: settlement.reason }, 'dead letter: the delivery was given up; it is kept')
    },
    laneLost(item) {
      log.warn(
        { delivery: item.delivery.deliveryId, attempt: item.attempt },
        'another process took this lane over; nothing of this attempt counts',
      )
    },
  }
}

/** A logger that throws, such as one whose worker has ended, must neither change an answer nor stop a lane. */
function harmless(log: Log): Log {
  const write = (level: keyof Log) => (about: unknown, message?: string) => {
    try {
      log[level](about, message)
    } catch {
      // Nobody is left to tell.
    }
  }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

/** Said once at start: what the app waits for may never come. */
export function tellOfDeclaredEvents(log: Log, events: readonly string[]): void {
  for (const event of events)
    if (Object.hasOwn(EVENTS, event) && EVENTS[event as keyof typeof EVENTS] === 'declared')
      log.info({ event }, 'a handler waits for an event that the service declares but has not confirmed to publish')
}
