import type { Clock } from '../../base/clock.ts'
import { shownMs } from '../../base/duration.ts'
import { createLogThrottle, type Log, type LogThrottle } from '../../base/log.ts'
import { maskPhone } from '../../base/mask.ts'
import { EVENTS } from '../../service/delivery.ts'
import { APP_CAUSE } from '../../store/outbox/send-rules.ts'
import type { Acted } from '../bot-internals.ts'
import { maskedSlot } from '../outbox/record-send.ts'
import { asSend } from '../outbox/send.ts'
import type { SendReport, ReportedAttempt } from '../outbox/send-worker.ts'
import type { IngestReport } from '../inbox/read-delivery.ts'
import type { DispatchReport, EndedAttempt } from '../work/dispatcher.ts'
import { traceIdOf } from '../watcher.ts'
import { redactError } from '../work/redacted-error.ts'
import type { Hooks, Observed, Observers } from './observers.ts'
import { FailureCount, kindOfParking, reportDelivered, reportReading, reportRefusals } from './report-deliveries.ts'
import type { Restored } from '../../store/outbox/restored.ts'
import type { NewSend } from '../../store/outbox/rows.ts'
import type { SendRow } from '../../store/database/outbox-tables.ts'
import type { StartedItem } from '../../store/work/items.ts'

/** Reports each event once, to the log and to the app's hooks. Lines above debug have no phone number and no text. */
export function createReports(log: Log, clock: Clock, observers: Observers, development = false) {
  const throttled = createLogThrottle(log, clock)
  const failures = new FailureCount(log, throttled, observers)
  return {
    receiving: {
      ...reportRefusals(throttled, observers, failures),
      ...reportDelivered(log, throttled, observers, failures),
    },
    failuresInARow: () => failures.inARow(),
    deliveries: {
      ...reportReading(log, throttled, observers),
      ...reportAttempts(log, { throttled, development }, observers),
    },
    sends: reportSends(log, observers),
    backlog(waitedMs: number): void {
      const seconds = Math.floor(waitedMs / 1_000)
      log.error(
        { seconds },
        'messages wait too long. Handlers hang or are too slow. Deliveries are still stored. Make the handlers faster, or raise the option lanes',
      )
      observers.notify('alarm', { reason: `waiting_long: ${seconds} s` })
    },
    /** The app's source of numbers fails. Nothing else would show that, because known numbers work for a day. */
    numbersFailed(number: string, why: string, failed: number): void {
      log.warn(
        { number, reason: why, ...(failed > 1 && { more: failed - 1 }) },
        'numbers.find() failed. Known numbers keep working for a day. Deliveries of other numbers are answered with 503',
      )
      observers.notify('alarm', { reason: 'numbers_unavailable', number })
    },
    acts({ who, act, what, count }: Acted): void {
      log.info({ who, act, what, count }, 'a person used the admin page')
      observers.notify('acted', { who, act, reason: what, count })
    },
  }
}

function reportLost(what: 'items' | 'sends', log: Log, observers: Observers): (count: number) => void {
  return (count) => {
    log.error(
      { count },
      `${count} ${what} were marked as running and did not run. They begin again. This is a bug of Switchhook: please report it with the log lines before this one`,
    )
    observers.notify('alarm', { reason: `lost_runs: ${what}`, count })
  }
}

export function logUnknownEvents(log: Log, events: readonly string[]): void {
  for (const event of events)
    if (!Object.hasOwn(EVENTS, event))
      log.warn(
        { event },
        'a handler is registered for an event that the specification does not name: check its spelling',
      )
}

/** Logs at the first start what the real service may do. `doctor` also reports the service's agent (GEN-06, GEN-13). */
export function logFirstNotices(log: Log, events: readonly string[], canSend: boolean): void {
  const unsure = events.filter((event) => EVENTS[event as keyof typeof EVENTS] === 'declared')
  if (unsure.length > 0)
    log.info({ events: unsure }, 'handlers are registered for events that the service may never publish')
  if (!canSend) return
  log.info(
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

export function reportStoreFailure(log: Log, observers: Observers, line: string, alarm: string): void {
  log.error({ reason: alarm }, line)
  observers.notify('alarm', { reason: alarm })
}

export function reportClockAhead(log: Log, observers: Observers): void {
  log.error(
    { reason: 'clock_ahead' },
    "this machine's clock lies more than a minute behind what the database has seen: it was set back, or another process has another clock. Nothing is lost. Check NTP on every machine (switchhook/docs/operations.md#a-wrong-clock)",
  )
  observers.notify('alarm', { reason: 'clock_ahead' })
}

export function logRestored(log: Log, restored: Restored | undefined): void {
  if (!restored) return
  log.warn(
    { held: restored.held, why: RESTORED[restored.why] },
    'open sends are held, because they may have been sent after the backup. Compare them with the dashboard, then release them with `switchhook outbox resume`',
  )
}

// ── attempts ───────────────────────────────────────────────────────────────────────────────────

function reportAttempts(
  log: Log,
  { throttled, development }: { readonly throttled: LogThrottle; readonly development: boolean },
  observers: Observers,
): Omit<DispatchReport, keyof IngestReport> {
  return {
    settled(ended) {
      const { item, settlement, error, behind = 0 } = ended
      const about = aboutAttempt(ended)
      log.debug({ ...about, customer: item.customer && maskPhone(item.customer) }, `delivery ${settlement.as}`)
      const observed = observedAttempt(ended)
      switch (settlement.as) {
        case 'done':
          return observers.notify('handled', observed)
        case 'ignored':
          // In development the developer waits for an answer. In production, messages without a route are ordinary.
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
    lost: reportLost('items', log, observers),
    discarded(item) {
      log.warn(
        aboutItem(item),
        'another process took over this customer, or the customer was forgotten: the outcome of this attempt is discarded',
      )
    },
  }
}

/** For a failed attempt, returns the route that threw, because several may have run. */
function routeOf({ settlement, route }: EndedAttempt): { route?: string } {
  const failure = 'failure' in settlement ? settlement.failure : undefined
  const named = failure ? failure.route : route
  return named === undefined ? {} : { route: named }
}

function aboutAttempt(ended: EndedAttempt) {
  const { item, waitedMs, durationMs, trace } = ended
  return {
    ...aboutItem(item),
    ...traceIdOf(trace),
    ...routeOf(ended),
    waitedMs: shownMs(waitedMs),
    durationMs: shownMs(durationMs),
  }
}

function aboutItem({ delivery, attempt, earlier }: StartedItem) {
  const about = { delivery: delivery.deliveryId, event: delivery.event, attempt, ...traceIdOf(delivery.trace) }
  return earlier.length === 0 ? about : { ...about, messages: earlier.length + 1 }
}

function observedAttempt(ended: EndedAttempt) {
  const { item, waitedMs, durationMs } = ended
  const { delivery, number, earlier, attempt } = item
  const { deliveryId, event } = delivery
  const observed = { deliveryId, event, number, ...routeOf(ended), attempt, waitedMs, durationMs }
  if (earlier.length === 0) return observed
  return { ...observed, deliveryIds: [...new Set([...earlier.map((one) => one.deliveryId), deliveryId])] }
}

// ── sends ────────────────────────────────────────────────────────────────────────────────────────

function reportSends(log: Log, observers: Observers): SendReport {
  return {
    settled: reportSettledSends(log, observers),
    diverged(row, slot) {
      log.warn(
        { send: row.id, delivery: row.delivery, slot, ...traceIdOf(row.trace) },
        'a rerun produced another text; the recorded one is used',
      )
      observers.notify('diverged', { ...observedSend(row, undefined), reason: slot })
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
    lost: reportLost('sends', log, observers),
    unexpectedError(row, error) {
      log.error({ err: error, send: row.id, ...originOf(row) }, 'a send failed with an unexpected error')
    },
  }
}

function aboutSend(row: SendRow, attempt: ReportedAttempt | undefined) {
  const about = { send: row.id, number: row.number, ...originOf(row), state: row.state, via: attempt?.via ?? row.via }
  return attempt ? { ...about, attempt: attempt.nth, durationMs: shownMs(attempt.durationMs) } : about
}

function observedSend(row: SendRow, attempt: ReportedAttempt | undefined): Observed {
  return {
    number: row.number,
    send: asSend({ row }),
    ...(row.delivery !== undefined && { deliveryId: row.delivery }),
    via: attempt?.via ?? row.via,
    ...(attempt && { attempt: attempt.nth, durationMs: attempt.durationMs }),
  }
}

/** People search the log by these: the delivery whose handler sends, the app's key, the trace. */
function originOf({ delivery, cause, slot, customer, trace }: NewSend | SendRow) {
  return {
    ...traceIdOf(trace),
    ...(delivery !== undefined && { delivery }),
    ...(cause === APP_CAUSE && { key: maskedSlot(slot, [customer]) }),
  }
}

function reportSettledSends(log: Log, observers: Observers): SendReport['settled'] {
  return (row, settlement, attempt) => {
    const about = aboutSend(row, attempt)
    const observed = observedSend(row, attempt)
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
        return tell('warn', 'send_held', 'send held: the outcome of an earlier part is not known', code)
      case 'postponed':
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
      case 'not_begun':
        return undefined
      default:
        return tell('warn', 'send_retried', 'the attempt to send failed; it is retried', code ?? 'unknown')
    }
  }
}
