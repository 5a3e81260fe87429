import type { Clock } from '../../base/clock.ts'
import { createLogThrottle, type Log } from '../../base/log.ts'
import { EVENTS } from '../../service/contract.ts'
import type { Acted } from '../in/bot-internals.ts'
import type { Restored } from '../../store/types/types.ts'
import { reportDeliveries } from './report-deliveries.ts'
import type { Observers } from './observers.ts'
import { countFailures, reportReceiving } from './report-receiving.ts'
import { reportSends } from './report-sends.ts'

export { createObservers, type Hooks, type Observed, type Observers } from './observers.ts'

/** Reports every event once, to the log and to the app's hooks. Above debug: no phone number and no text. */
export function createReports(log: Log, clock: Clock, observers: Observers, development = false) {
  const throttled = createLogThrottle(log, clock)
  const failures = countFailures(log, throttled, observers)
  return {
    receiving: reportReceiving(log, throttled, observers, failures),
    failuresInARow: failures.inARow,
    deliveries: reportDeliveries(log, { throttled, development }, observers),
    sends: reportSends(log, observers),
    backlog: reportBacklog(log, observers),
    numbersFailed: reportNumbers(log, observers),
    acts: reportActs(log, observers),
  }
}

function reportActs(log: Log, observers: Observers): (acted: Acted) => void {
  return ({ who, act, what, count }) => {
    log.info({ who, act, what, count }, 'a person used the admin page')
    observers.notify('acted', { who, act, reason: what, count })
  }
}

/** Messages have waited this many milliseconds for their handlers. */
function reportBacklog(log: Log, observers: Observers): (waitedMs: number) => void {
  return (waitedMs) => {
    const seconds = Math.floor(waitedMs / 1_000)
    log.error(
      { seconds },
      'messages wait too long. Handlers hang or are too slow. Deliveries are still stored. Make the handlers faster, or raise the option lanes',
    )
    observers.notify('alarm', { reason: `waiting_long: ${seconds} s` })
  }
}

/** A source of numbers fails. Known numbers still work, so nothing else shows it until their data is too old. */
function reportNumbers(log: Log, observers: Observers) {
  return (number: string, why: string, failures: number): void => {
    const more = failures > 1 && { more: failures - 1 }
    log.warn(
      { number, reason: why, ...more },
      'numbers.find() failed. Known numbers keep working for keptFor. Deliveries of other numbers are answered with 503',
    )
    observers.notify('alarm', { reason: 'numbers_unavailable', number })
  }
}

/** Logged at each start, because a handler may wait for an event that never comes. */
export function logUnsureEvents(log: Log, events: readonly string[]): void {
  for (const event of events)
    if (!Object.hasOwn(EVENTS, event))
      log.warn(
        { event },
        'a handler is registered for an event that the specification does not name: check its spelling',
      )
    else if (EVENTS[event as keyof typeof EVENTS] === 'declared')
      log.debug({ event }, 'a handler is registered for an event that the service may never publish')
}

/** Logged at the first start of a bot that can send. `doctor` reports it too (GEN-06, GEN-13). */
export function logAgentNotice(log: Log): void {
  log.debug(
    {},
    "if the service's own AI agent is on, it answers the same messages as this bot. Each message of the bot pauses it for that customer, until the takeover window ends or the customer types BOT",
  )
}

const RESTORED: Readonly<Record<Restored['why'], string>> = {
  asked: 'the start option says that it was restored from a backup',
  noticed: 'it is older than its .generation file, so it was restored from a backup',
  brought: 'its file was copied here without its .generation file, or from another server',
  earlier: 'it was restored from a backup earlier, and its sends are not released yet',
}

/** The store cannot trust its files any more, and starts again. */
export function reportStoreFailure(log: Log, observers: Observers, line: string): void {
  log.error({ reason: 'store_failed' }, line)
  observers.notify('alarm', { reason: 'store_failed' })
}

/** Logged at each start while sends of a restored database are held. */
export function logRestored(log: Log, restored: Restored | undefined): void {
  if (!restored) return
  log.warn(
    { held: restored.held, why: RESTORED[restored.why] },
    'open sends are held, because they may have been sent after the backup. Compare them with the dashboard, then release them with `switchhook outbox resume`',
  )
}
