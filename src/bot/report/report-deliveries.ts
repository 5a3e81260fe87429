import { isA } from '../../base/errors.ts'
import { LRUCache } from 'lru-cache'
import type { Log, LogThrottle } from '../../base/log.ts'
import { maskPhone } from '../../base/mask.ts'
import { FAILURES_UNTIL_DISABLED, TIMESTAMP_TOLERANCE_SECONDS } from '../../service/delivery.ts'
import type { IngestReport, ReadableDelivery } from '../inbox/read-delivery.ts'
import { NumberUnavailable, type Refused } from '../inbox/signature.ts'
import type { ReceiveReport, SignedMaterial } from '../inbox/receiver.ts'
import { traceIdOf } from '../watcher.ts'
import type { Observers } from './observers.ts'
import { shownMs } from '../../base/duration.ts'

/** Why the bodies of signed requests were not read, and what helps. */
const ADVICE: Partial<Record<BodyProblem, string>> = {
  already_parsed:
    'the body of a delivery was read before it reached webhook(bot), so its signature cannot be checked: mount webhook(bot) before ' +
    'express.json() and any other body parser, or, if the parser cannot move, keep the bytes with ' +
    'express.json({ verify: keepRawBody }); with switchhook/fetch, pass the request unread, or an earlier request.clone()',
  encoded:
    'a delivery arrived with a Content-Encoding and was answered with 415: its signature covers the bytes that the service sent, ' +
    'so let proxies and gateways pass them on unchanged',
  too_large:
    'a request is larger than the option bodyLimit allows and was answered with 413. If the service sent it, so will be each retry: ' +
    'raise bodyLimit',
  too_many:
    'the bodies of all running requests exceed their memory limit (64 MiB, or twice bodyLimit if that is more), so a request ' +
    'was answered with 503. Somebody sends many large requests, or deliveries are stored too slowly',
}

const STALE =
  `a delivery has a right signature, but its time is off by more than ${TIMESTAMP_TOLERANCE_SECONDS} s: this machine's clock ` +
  'is wrong, or the service retries late'

const UNKNOWN_NUMBER =
  'a delivery for an unknown number was answered with 401. The function `number` of ' +
  'webhook() returned no name, or one that the option numbers does not know'

const UNKNOWN_NUMBERS =
  'too many deliveries for unknown numbers: further ones are answered with 503 meanwhile. ' +
  'Somebody invents names, or the path of the webhooks has changed'

const WRONG_PATH =
  'a delivery arrived at `path`, where the bot is not, so the bot did not get it. Register the path `right` at the service, ' +
  'or mount webhook(bot) exactly at `path`'

const MAYBE_WRONG_PATH =
  'a request with the header of a signature arrived at `path`, where the bot is not. It is not known as a delivery: a wrong ' +
  'signature, an old one, or a large body'

const MOUNT_EXACTLY =
  'If it belongs to your app, mount webhook(bot) at one exact path: it answers every request that it gets'

const ANSWERED_BY_APP =
  'the app answered a delivery before the bot did: the service acts on the status of the app. ' +
  'In Koa set ctx.respond = false, in Fastify call reply.hijack()'

const SUSPECTED_REPLAY =
  'suspected replay: stored, not handled. The same signed bytes arrived before under another id or event name, ' +
  'which are not signed. Either somebody captured a delivery and sent it again, or two equal events occurred in one second. ' +
  "If it is genuine, run `switchhook inbox retry ID`. The option identicalDeliveries: 'dispatch' handles all of them"

const UNAVAILABLE = {
  store: {
    reason: 'store_unavailable',
    message: 'a delivery could not be stored. It was answered with 503, and the service retries it',
  },
  secrets: {
    reason: 'secrets_unavailable',
    message:
      'a delivery could not be verified, because its signing secret is not known. It was answered with 503, and the service retries it',
  },
} as const

type BodyProblem = Parameters<ReceiveReport['bodyProblem']>[0]

/** Reports requests that are no delivery, or whose delivery is refused. */
export function reportRefusals(
  throttled: LogThrottle,
  observers: Observers,
  failures: FailureCount,
): Pick<ReceiveReport, 'refused' | 'elsewhere' | 'notPosted' | 'bodyProblem'> {
  return {
    refused(reason, { explanation, fault, material }) {
      const about = () => {
        const probably = fault === undefined ? explanation() : undefined
        return { reason, ...(probably !== undefined && { probably }) }
      }
      if (fault !== undefined)
        throttled('warn', fault, `a delivery was refused, as expected: you armed \`${fault}\` in the emulator`, about)
      else if (reason === 'stale') throttled('warn', reason, STALE, about)
      else if (reason === 'unknown_number') throttled('warn', reason, UNKNOWN_NUMBER, about)
      else
        throttled(
          'warn',
          reason,
          reason === 'missing'
            ? `a request without the headers of a signature was refused. ${MOUNT_EXACTLY}`
            : 'a delivery was refused',
          about,
        )
      failures.refused(reason, fault, material)
      observers.notify('refused', { reason })
    },
    elsewhere({ path, right }, { material, status }) {
      // Cut and mask the path, because anybody can choose one, and an app's paths may contain customers' numbers.
      if (!material)
        throttled('info', 'elsewhere', MAYBE_WRONG_PATH, {
          path: path.slice(0, 100).replace(/\d{5,}/g, maskPhone),
          right,
        })
      if (!material) return
      if (!isSuccess(status)) failures.missed(material)
      throttled('error', 'wrong_path', WRONG_PATH, { path, right, status })
      observers.notify('refused', { reason: 'wrong_path' })
    },
    notPosted: () =>
      void throttled('info', 'not_posted', `a request that is not a POST was answered with 405. ${MOUNT_EXACTLY}`),
    bodyProblem(problem) {
      failures.notRead(problem)
      const advice = ADVICE[problem]
      const about = problem === 'already_parsed' ? undefined : { reason: problem }
      throttled(advice ? 'error' : 'warn', problem, advice ?? "a delivery's body could not be read", about)
      observers.notify('refused', { reason: problem })
    },
  }
}

/** Reports deliveries with a right signature. */
export function reportDelivered(
  log: Log,
  throttled: LogThrottle,
  observers: Observers,
  failures: FailureCount,
): Pick<ReceiveReport, 'accepted' | 'unavailable'> {
  return {
    accepted(delivery, acceptance, durationMs, answeredWith) {
      const { deliveryId, event, subscription, unclear, timestamp, digest, trace } = delivery
      if (answeredWith !== undefined) throttled('error', 'answered_by_app', ANSWERED_BY_APP, { status: answeredWith })
      if (answeredWith === undefined || isSuccess(answeredWith)) failures.answered()
      else failures.missed({ timestamp, digest, ageMs: 0 })
      const shown = shownMs(durationMs)
      const about = { delivery: deliveryId, event, subscription, durationMs: shown, ...traceIdOf(trace) }
      const observed = { ...(deliveryId && { deliveryId }), ...(event && { event }), durationMs }
      switch (acceptance) {
        case 'stored':
          log.debug(about, 'delivery stored')
          return observers.notify('accepted', observed)
        case 'duplicate':
          log.debug(about, 'repeated delivery')
          return observers.notify('duplicate', observed)
        case 'quarantined':
          throttled('warn', acceptance, 'delivery quarantined: its headers cannot be read', {
            ...about,
            reason: unclear,
          })
          return observers.notify('quarantined', { ...observed, reason: unclear ?? '' })
        case 'conflict':
          // The body may be the same message in another form. Only its items show that.
          return log.debug(about, 'this delivery id arrived before with other signed bytes')
        case 'stale':
          return undefined
        case 'suspected_replay':
          if (throttled('warn', acceptance, SUSPECTED_REPLAY, about))
            observers.notify('alarm', { ...observed, reason: 'suspected_replay' })
          return undefined
      }
    },
    unavailable(error, material) {
      // Anybody can request unknown names, so this raises no alarm.
      if (isA(error, NumberUnavailable) && error.tooMany) {
        throttled('warn', 'unknown_numbers', UNKNOWN_NUMBERS, { err: error })
        return observers.notify('refused', { reason: 'unknown_number' })
      }
      failures.failed(material)
      const { reason, message } = isA(error, NumberUnavailable) ? UNAVAILABLE.secrets : UNAVAILABLE.store
      if (throttled('error', reason, message, { err: error })) observers.notify('alarm', { reason, error })
    },
  }
}

// ── what was read of a delivery ─────────────────────────────────────────────────────────────────────

const PARKED =
  'delivery parked: run `switchhook payload report` to see its shape, fix the cause, then run `switchhook inbox retry --parked`'

const ODD_PAYLOAD =
  'the payload differs from what the bot expects: run `switchhook payload report`, and compare it with the options facts, kinds and statuses'
const OVER_LIMIT =
  'a customer writes more messages than the option perCustomer allows, as a machine does: the others are parked. `switchhook inbox retry` handles them'

/** The most unknown kinds and statuses that are reported, because a sender may invent any number. */
const MOST_WORDS = 1_000

const ALARM_OF = { reused: 'identity_reused', conflict: 'conflict', over_limit: 'over_limit' } as const

export function reportReading(log: Log, throttled: LogThrottle, observers: Observers): IngestReport {
  const alarm = reportAlarms(throttled, observers)
  return {
    ingested(delivery, { ingested: { state, note, items }, alarms }, outcomes) {
      const { deliveryId, event, trace } = delivery
      const about = { delivery: deliveryId, event, ...traceIdOf(trace) }
      for (const { reason, number } of items.filter((item) => item.state === 'parked')) {
        throttled('warn', kindOfParking(reason ?? ''), PARKED, { ...about, number, reason })
        observers.notify('parked', { deliveryId, event, number, reason: reason ?? 'parked' })
      }
      if (state === 'quarantined') {
        throttled('warn', 'quarantined: payload', 'delivery quarantined: its payload cannot be read', {
          ...about,
          reason: note,
        })
        observers.notify('quarantined', { deliveryId, event })
      }
      if (state === 'ignored') {
        log.debug(about, 'no handler for this event')
        observers.notify('ignored', { deliveryId, event })
      }
      for (const { code, fact, word } of alarms) alarm(delivery, code, fact, word)
      for (const { identity } of outcomes) if (identity !== 'same_message') alarm(delivery, ALARM_OF[identity])
    },
  }
}

/** `word`: an unknown kind or status, which is reported once. */
function reportAlarms(throttled: LogThrottle, observers: Observers) {
  const words = new Set<string>()
  return ({ deliveryId, event, trace }: ReadableDelivery, code: string, fact?: string, word?: string): void => {
    if (word !== undefined) {
      const key = `${code}:${word.slice(0, 64)}`
      if (words.has(key) || words.size >= MOST_WORDS) return
      words.add(key)
    }
    const about = { alarm: code, fact, event, delivery: deliveryId, ...traceIdOf(trace) }
    throttled('warn', `alarm:${code}:${fact ?? ''}`, code === 'over_limit' ? OVER_LIMIT : ODD_PAYLOAD, about)
    const reason = [code, fact].filter((part) => part !== undefined).join(': ')
    observers.notify('alarm', { deliveryId, event, reason })
  }
}

/** Returns only the code of the reason: a sender can vary the rest, such as paths, without limit. */
export function kindOfParking(reason: string): string {
  return `parked:${reason.split(':', 1)[0]}`
}

// ── failures ────────────────────────────────────────────────────────────────────────────────────────

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** The log warns at so many failures, well before the service disables the endpoint (DEL-07). */
const WARN_AT = [5, 10, 15]
const WHY_NOT_READ: Readonly<Record<BodyProblem, string>> = {
  too_large: 'larger than bodyLimit: if the service sends such deliveries, raise bodyLimit',
  too_many: 'too many at one time',
  timeout: 'too slow',
  aborted: 'aborted',
  already_parsed: 'read by a parser in front of webhook(bot)',
  encoded: 'with a Content-Encoding',
}

/** After so many wrong signatures and no right one, a wrong secret is likelier than a forger. */
const WRONG_SECRET_SUSPECTED_AT = 5

/** Assumption (DEL-07): the service repeats no delivery after this time, and signs each attempt with its own time. */
const LONGEST_RETRY_MS = 86_400_000
const MOST_REMEMBERED = 1_000

/**
 * Counts the deliveries in a row that the service regards as failed. No stranger can raise this count: forgeries do not
 * count, and a captured delivery counts once. Requests whose bodies were not read cannot be verified, so they have
 * their own count.
 */
export class FailureCount {
  readonly #log: Log
  readonly #throttled: LogThrottle
  readonly #observers: Observers
  readonly #counted = new LRUCache<string, true>({ max: MOST_REMEMBERED })
  #inARow = 0
  #notReadInARow = 0
  #wrongSignatures = 0
  #everRight = false

  constructor(log: Log, throttled: LogThrottle, observers: Observers) {
    this.#log = log
    this.#throttled = throttled
    this.#observers = observers
  }

  /** @param material undefined if the signature could not be verified. */
  failed(material: SignedMaterial | undefined): void {
    if (material) {
      const key = `${material.timestamp}/${Buffer.from(material.digest).toString('latin1')}`
      if (material.ageMs > LONGEST_RETRY_MS || this.#counted.has(key)) return
      this.#counted.set(key, true)
    }
    this.#inARow++
    if (!WARN_AT.includes(this.#inARow)) return
    this.#log.error(
      { failures: this.#inARow },
      `${this.#inARow} deliveries in a row were not acknowledged. After ${FAILURES_UNTIL_DISABLED} the service disables the endpoint, and missed events are lost`,
    )
    this.#observers.notify('alarm', { reason: `failures_in_a_row: ${this.#inARow}` })
  }

  /** Call this if a delivery with a right signature was refused. */
  missed(material: SignedMaterial): void {
    this.#everRight = true
    this.failed(material)
  }

  notRead(problem: BodyProblem): void {
    this.#notReadInARow++
    if (!WARN_AT.includes(this.#notReadInARow)) return
    const isLogged = this.#throttled(
      'error',
      `unread_in_a_row: ${this.#notReadInARow}`,
      `${this.#notReadInARow} requests in a row could not be read, so their sender is unknown. If it was the service, it disables the endpoint after ${FAILURES_UNTIL_DISABLED}`,
      { failures: this.#notReadInARow, last: WHY_NOT_READ[problem] },
    )
    if (isLogged) this.#observers.notify('alarm', { reason: `unread_in_a_row: ${this.#notReadInARow}, ${problem}` })
  }

  refused(
    reason: Refused['reason'] | 'unknown_number',
    fault: string | undefined,
    material: SignedMaterial | undefined,
  ): void {
    if (reason === 'stale' && material) this.missed(material)
    // Do not count a fault that a developer switched on in the emulator: it says nothing about the secret.
    if (reason !== 'mismatch' || this.#everRight || fault !== undefined) return
    this.#wrongSignatures++
    if (this.#wrongSignatures !== WRONG_SECRET_SUSPECTED_AT) return
    this.#log.error(
      {},
      'no delivery has had a right signature since the start. The signing secret is probably wrong, or belongs to another subscription',
    )
    this.#observers.notify('alarm', { reason: 'wrong_secret_suspected' })
  }

  inARow(): number {
    return this.#inARow
  }

  answered(): void {
    this.#everRight = true
    this.#inARow = 0
    this.#notReadInARow = 0
  }
}
