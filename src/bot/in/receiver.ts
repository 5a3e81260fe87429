import { hash } from 'node:crypto'
import { afterThisTurn, type Clock, type Timers } from '../../base/clock.ts'
import { SwitchhookError, isA, readError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { NO_SPAN, type Span, type Tracer } from '../spans.ts'
import {
  canonicalDeliveryId,
  DELIVERY_ID_FORM,
  EMULATOR_CLOCK_OFFSET,
  EMULATOR_FAULT,
  EVENT_NAME_FORM,
} from '../../service/contract.ts'
import type { Acceptance, NewDelivery } from '../../store/types/types.ts'
import { explain } from './explain.ts'
import {
  type Answer,
  ANSWER_TO,
  ANSWER_TO_BODY,
  ANSWERS,
  askingForNewConnection,
  type BodyProblem,
  createBodyBudget,
  type Elsewhere,
  type Incoming,
  type IncomingHeaders,
  lookUpHeader,
  readHeader,
} from './http.ts'
import { type Keyring, type KeysOfNumbers, type KeySource, NumberUnavailable } from './keys.ts'
import {
  namesInLowerCase,
  readSignature,
  type Refused,
  type Signed,
  type Stale,
  type Verified,
  verifyInTurns,
} from './signature.ts'

export interface ReceiverDeps {
  /** `acceptDelivery`. Resolves when it is on disk; rejects if another process blocks the database for `waitMs`. */
  accept(delivery: NewDelivery, waitMs: number): Promise<Acceptance>
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  readonly report: ReceiveReport
  readonly keys: KeysOfNumbers
  readonly headerPrefix: string
  /** Bytes. */
  readonly bodyLimit: number
  /** Stores deliveries with a valid signature and an expired time. They are still refused. */
  readonly keepStale: boolean
  readonly dispatchIdentical: boolean
  readonly tracer?: Tracer | undefined
  /** The other side is an emulator on this machine, so its clock is followed. */
  readonly local: boolean
  /** In development the log explains refusals. */
  readonly explains: boolean
  /** The API clock's offset in milliseconds; undefined if it is not an emulator. A delivery's header is not signed. */
  emulatorOffset(): Promise<number | undefined>
}

/** Reports the outcome of each request. No answer reveals it. */
export interface ReceiveReport {
  /** `unknown_number`: no number has the endpoint's name. */
  refused(
    reason: Refused['reason'] | 'unknown_number',
    why: {
      readonly explanation: () => string | undefined
      readonly fault: string | undefined
      /** Of one that is stale. */
      readonly material?: SignedMaterial | undefined
    },
  ): void
  /** A request whose path is not the bot's. It has the header of a signature. */
  elsewhere(
    where: Pick<Elsewhere, 'path' | 'right'>,
    seen: {
      /** Undefined if its signature is not right. */
      readonly material: SignedMaterial | undefined
      readonly status: number
    },
  ): void
  notPosted(): void
  /** The request has a signature that could not be verified, so it may come from the service or a stranger. */
  bodyProblem(problem: BodyProblem | 'encoded'): void
  /** `answeredWith`: the status of the app, if it answered first. */
  accepted(delivery: NewDelivery, acceptance: Acceptance, durationMs: number, answeredWith?: number): void
  /** @param material undefined if the signature could not be verified. */
  unavailable(error: unknown, material?: SignedMaterial): void
}

/** A verified delivery, from any sender. */
export interface SignedMaterial extends Pick<NewDelivery, 'timestamp' | 'digest'> {
  readonly ageMs: number
}

export interface Receiver {
  receive(incoming: Incoming): Promise<Answer>
  elsewhere(request: Elsewhere): Promise<void>
  /** False for ten seconds after a delivery could not be stored, or until another one is stored. */
  ready(): boolean
  beginStop(): void
}

const BODY_DEADLINE_MS = 10_000
/** A delivery at a wrong path is read up to this size, to tell it from a forgery. */
const MOST_BYTES_ELSEWHERE = 65_536
/** The bodies of all requests while they are read and stored, so that a stranger cannot fill the memory. */
const MOST_BODY_BYTES = 64 * 1_048_576
/** Assumption: the service waits for an answer at least a second longer than this. Its time-out is not specified. */
const STORING_MS = 4_000
/** How long a failure counts. A load balancer sends nothing to a process that is not ready, so only time can end it. */
const NOT_READY_MS = 10_000

/** @throws SwitchhookError `options_invalid` if a secret is empty or has blank ends. */
export async function createReceiver(o: ReceiverDeps): Promise<Receiver> {
  const { clock, keys, report, local, explains } = o
  if (keys.all) await fetchSecrets(keys.all, o.log)
  const names = namesInLowerCase(o.headerPrefix)
  const limits = { maxBytes: o.bodyLimit, deadlineMs: BODY_DEADLINE_MS, timers: o.timers }
  const bodies = createBodyBudget(Math.max(MOST_BODY_BYTES, 2 * o.bodyLimit))
  let failedAt: number | undefined
  let stopping = false

  /**
   * The path of a delivery:
   *
   * | step | function | which calls |
   * |---|---|---|
   * | read the bytes, verify them | `receive`, `verifyAndStore` | `verify`, `signature.ts` |
   * | read the facts | `acceptDelivery`, `ingest.ts` | `readArrival`, `read-delivery.ts` |
   * | store it, and begin its item if the lane is free: one commit | `acceptDelivery` | `accept`, `store/inbox/accept.ts` |
   * | answer | `verifyAndStore` | |
   * | run the handlers, a turn of the event loop later | `handle`, `work/dispatcher.ts` | `beginAttempt`, `work/attempt.ts` |
   * | settle, and begin the lane's next item: one commit | `handle` | `settleItem`, `store/work/settle.ts` |
   *
   * After a crash the tables are enough:
   *
   * - before the first commit, nothing is stored and the service has no 200: it posts the delivery again.
   * - between the commit and the answer, it posts again too, and the inbox finds a duplicate.
   * - while handlers run, the item is marked as running by this process, whose lease ends within 10 s. The next claim of
   *   another process, or the next start of this one, puts the item first in its lane again. Its next run has a higher
   *   number. Results of `once` are not computed again, and replies are found under their keys.
   * - during the last commit, the item is either settled with all its effects, or runs again.
   */
  async function receive(incoming: Incoming, span: Span): Promise<Answer> {
    // The time is read when the headers have arrived: a slow upload must not make a fresh delivery stale.
    const arrived = { at: clock.wall(), judgedAt: clock.machine(), beganAt: clock.monotonic() }
    const { headers } = incoming
    if (incoming.method !== 'POST') {
      report.notPosted()
      return ANSWERS.methodNotAllowed
    }
    const signed = readSignature(headers, names)
    if ('reason' in signed) {
      reportRefusal(signed.reason, { headers, body: NOTHING, keyring: NO_KEYS, now: arrived.judgedAt })
      return ANSWERS.unauthorized
    }
    if (isEncoded(headers)) {
      report.bodyProblem('encoded')
      return ANSWERS.unsupportedEncoding
    }
    const budget = bodies.open()
    try {
      const body = await incoming.readBody({ ...limits, take: budget.take })
      if ('bytes' in body) return await verifyAndStore(incoming, { signed, bytes: body.bytes, span }, arrived)
      report.bodyProblem(body.problem)
      return ANSWER_TO_BODY[body.problem]
    } finally {
      budget.close()
    }
  }

  async function verifyAndStore(
    { headers, number, answeredWith }: Incoming,
    { signed, bytes, span }: { readonly signed: Signed; readonly bytes: Uint8Array; readonly span: Span },
    { at, judgedAt, beganAt }: Readonly<Record<'at' | 'judgedAt' | 'beganAt', number>>,
  ): Promise<Answer> {
    const completeAt = clock.monotonic()
    const waitMs = () => completeAt + STORING_MS - clock.monotonic()
    let material: SignedMaterial | undefined
    // Deliveries of one turn are verified and parsed together, because alternating with HTTP would evict the processor's
    // caches.
    await afterThisTurn()
    try {
      const verdict = await verifyWithRotation({ headers, signed, body: bytes }, await keysFor(number, keys), judgedAt)
      const describe = (by: Verified | Stale) => {
        const delivery = { ...toDelivery(headers, bytes, by, at), trace: span.context }
        span.add({ event: delivery.event, deliveryId: delivery.deliveryId, subscription: delivery.subscription })
        return delivery
      }
      if (!verdict.ok) {
        if ('timestamp' in verdict && o.keepStale) await accept({ ...describe(verdict), stale: true }, waitMs())
        return ANSWERS.unauthorized
      }
      const delivery = describe(verdict)
      material = { ...delivery, ageMs: ageOf(delivery, judgedAt) }
      const acceptance = await accept(delivery, waitMs())
      report.accepted(delivery, acceptance, clock.monotonic() - beganAt, answeredWith?.())
      // While a process is stopping, it still stores deliveries, and requests new connections from callers.
      return stopping ? askingForNewConnection(ANSWER_TO[acceptance]) : ANSWER_TO[acceptance]
    } catch (error) {
      report.unavailable(error, material)
      return ANSWERS.unavailable
    }
  }

  async function elsewhere(request: Elsewhere): Promise<void> {
    if (!lookUpHeader(request.headers, names.signature)) return
    const material = await genuineMaterial(request).catch(() => undefined)
    const status = request.answeredWith?.()
    // Another mount of the bot took it.
    if (status !== undefined) report.elsewhere(request, { material, status })
  }

  /** An old delivery may be a captured one, so it proves no wrong path. */
  async function genuineMaterial({
    method,
    headers,
    number,
    readBody,
  }: Elsewhere): Promise<SignedMaterial | undefined> {
    const judgedAt = clock.machine()
    const signed = readSignature(headers, names)
    if (method !== 'POST' || 'reason' in signed) return undefined
    const budget = bodies.open()
    try {
      // Both begin before the app gets the request: it changes the parameters, and reads the body.
      const [own, body] = await Promise.all([
        keys.all ?? keysFor(number, keys).catch(() => undefined),
        readBody({ ...limits, maxBytes: Math.min(o.bodyLimit, MOST_BYTES_ELSEWHERE), take: budget.take }),
      ])
      if (!own || !('bytes' in body)) return undefined
      const verdict = await verifyInTurns(signed, body.bytes, await own.live(), judgedAt)
      return verdict.ok ? { ...verdict, digest: digestOf(body.bytes), ageMs: ageOf(verdict, judgedAt) } : undefined
    } finally {
      budget.close()
    }
  }

  /** A wrong signature may mean a new secret: secrets are asked for again. `own`: undefined for an unknown number. */
  async function verifyWithRotation(
    { headers, signed, body }: { headers: IncomingHeaders; signed: Signed; body: Uint8Array },
    own: KeySource | undefined,
    arrivedAt: number,
  ): Promise<Verified | Refused | Stale> {
    if (!own) {
      report.refused('unknown_number', { explanation: () => undefined, fault: undefined })
      return { ok: false, reason: 'mismatch' }
    }
    let keyring = await own.live()
    let verdict = await verifyInTurns(signed, body, keyring, arrivedAt)
    if (!verdict.ok && verdict.reason === 'mismatch') {
      const renewed = await own.renewed(arrivedAt)
      if (renewed) {
        keyring = renewed
        verdict = await verifyInTurns(signed, body, keyring, arrivedAt)
      }
    }
    if (verdict.ok) return verdict
    const { reason } = verdict
    if (reason === 'mismatch' && !own.complete())
      throw new NumberUnavailable(
        'the signing secrets of some number are not known yet, so this signature may be right',
      )
    reportRefusal(reason, { headers, body, keyring, now: arrivedAt }, 'timestamp' in verdict ? verdict : undefined)
    return verdict
  }

  function reportRefusal(
    reason: Refused['reason'],
    refused: Omit<Parameters<typeof explain>[0], 'reason' | 'names'>,
    stale?: Stale,
  ): void {
    const fault = local ? armedFault(refused.headers) : undefined
    const explanation = () => (explains ? explain({ ...refused, names, reason }) : undefined)
    const material = stale && { ...stale, digest: digestOf(refused.body), ageMs: ageOf(stale, refused.now) }
    report.refused(reason, { explanation, fault, material })
  }

  /** Unreadable headers do not refuse a verified delivery: it is quarantined under its signed material (SIG-09). */
  function toDelivery(
    headers: IncomingHeaders,
    body: Uint8Array,
    { subscription, timestamp }: Verified | Stale,
    receivedAt: number,
  ): NewDelivery {
    const event = readHeader(headers, names.event, EVENT_NAME_FORM)
    const id = readHeader(headers, names.delivery, DELIVERY_ID_FORM)
    const unclear = [
      event.problem && `the event's name is ${event.problem}`,
      id.problem && `the delivery id is ${id.problem}`,
    ].filter((problem) => problem !== undefined)
    return {
      subscription,
      deliveryId: id.value === undefined ? undefined : canonicalDeliveryId(id.value),
      event: event.value,
      timestamp,
      digest: digestOf(body),
      body,
      receivedAt,
      // Nobody but an emulator may move our clock.
      clockOffset: local ? clockOffset(headers) : 0,
      ...(unclear.length > 0 && { unclear: unclear.join(', ') }),
    }
  }

  async function accept(delivery: NewDelivery, waitMs: number): Promise<Acceptance> {
    if (local && delivery.clockOffset !== clock.offset) clock.adopt((await o.emulatorOffset()) ?? clock.offset)
    try {
      const acceptance = await o.accept({ ...delivery, dispatchIdentical: o.dispatchIdentical }, waitMs)
      failedAt = undefined
      return acceptance
    } catch (error) {
      failedAt = clock.wall()
      throw error
    }
  }

  return {
    receive: (incoming) =>
      o.tracer ? inSpan(o.tracer, (span) => receive(incoming, span)) : receive(incoming, NO_SPAN),
    elsewhere,
    // In both directions, because a clock that was set back must not prolong it.
    ready: () => failedAt === undefined || Math.abs(clock.wall() - failedAt) >= NOT_READY_MS,
    beginStop() {
      stopping = true
    },
  }
}

/** The delivery stores the span's context, so that its attempts belong to it in any process. */
async function inSpan(tracer: Tracer, run: (span: Span) => Promise<Answer>): Promise<Answer> {
  const span = tracer.start('receive', {})
  try {
    const answer = await span.within(() => run(span))
    span.end({ status: answer.status })
    return answer
  } catch (error) {
    span.end({}, { name: 'Error', message: 'the body could not be read' })
    throw error
  }
}

function digestOf(body: Uint8Array): Uint8Array {
  // Through hex, as in `macOf`.
  return Buffer.from(hash('sha256', body), 'hex')
}

function ageOf({ timestamp }: Pick<NewDelivery, 'timestamp'>, now: number): number {
  return now - timestamp * 1_000
}

const NOTHING = new Uint8Array()
const NO_KEYS: Keyring = { keys: [] }

async function keysFor(number: Incoming['number'], keys: KeysOfNumbers): Promise<KeySource | undefined> {
  if (!number && !keys.all)
    throw new NumberUnavailable('webhook() was mounted without the option number, which a source of numbers needs')
  if (!number) return keys.all
  let name: string | undefined
  try {
    name = await number()
  } catch (error) {
    // The message is the app's, and may contain something private.
    const { name: kind } = readError(error)
    throw new NumberUnavailable(`the function number of webhook() failed: ${kind}`)
  }
  return typeof name === 'string' ? await keys.at(name) : undefined
}

/** Nothing is ever inflated: the signature covers the bytes on the wire, and a compression bomb stays compressed. */
function isEncoded(headers: IncomingHeaders): boolean {
  const encoding = String(lookUpHeader(headers, 'content-encoding') ?? '')
  return encoding !== '' && encoding.toLowerCase() !== 'identity'
}

const OFFSET_FORM = /^-?[0-9]{1,14}$/

/** Milliseconds. A malformed offset must not keep the delivery from being stored. */
function clockOffset(headers: IncomingHeaders): number {
  const { value } = readHeader(headers, EMULATOR_CLOCK_OFFSET.toLowerCase(), OFFSET_FORM)
  return Number(value) || 0
}

/** The emulator's armed fault, from its own header. Anybody can write one, so only a name is accepted. */
function armedFault(headers: IncomingHeaders): string | undefined {
  const fault = String(lookUpHeader(headers, EMULATOR_FAULT.toLowerCase()) ?? '')
  return /^[a-z_]{1,40}$/.test(fault) ? fault : undefined
}

/** A wrong secret fails the start. A function that cannot return yet does not. */
async function fetchSecrets(keys: KeySource, log: Log): Promise<void> {
  try {
    await keys.live()
  } catch (error) {
    if (isA(error, NumberUnavailable) && error.cause instanceof SwitchhookError) throw error.cause
    log.error({ err: error }, 'the signing secrets are not known yet. Until they are, deliveries are answered with 503')
  }
}

/** Resolves when each body that has arrived is stored or refused. One whose keys are looked up, or many, may take longer. */
export async function receivedBodiesHandled(): Promise<void> {
  await afterThisTurn()
  // `receive` verifies it in that turn.
  await afterThisTurn()
}

/** In a process that only works. After 503 a delivery comes again, so a wrong entry in a balancer loses none. */
export function noReceiver(log: Log): Receiver {
  return {
    async receive() {
      log.error(
        {},
        "a delivery arrived at a process with the role 'work' and was answered with 503. Send deliveries to processes with the role 'receive' or 'both'",
      )
      return ANSWERS.unavailable
    },
    async elsewhere() {},
    ready: () => true,
    beginStop() {},
  }
}
