import { hash } from 'node:crypto'
import { afterThisTurn, type Clock, type Timers } from '../../base/clock.ts'
import { SwitchhookError, isA, readError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { watch, type Watcher, type Watching } from '../watcher.ts'
import { canonicalDeliveryId, type DeliveryHeaders, DELIVERY_ID_FORM, EVENT_NAME_FORM } from '../../service/delivery.ts'
import { EMULATOR_CLOCK_OFFSET, EMULATOR_FAULT } from '../../service/endpoints.ts'
import { Unstorable } from '../../store/database/engine.ts'
import type { Store } from '../../store/store.ts'
import type { LaneRunner } from '../lanes/runner.ts'
import { explain } from './explain.ts'
import {
  type Answer,
  ANSWER_TO,
  ANSWER_TO_BODY,
  ANSWERS,
  type BodyLimits,
  type BodyProblem,
  createBodyBudget,
  type Elsewhere,
  type Incoming,
  type IncomingHeaders,
  lookUpHeader,
  readHeader,
} from './http.ts'
import {
  type Keyring,
  type KeysOfNumbers,
  type KeySource,
  NumberUnavailable,
  namesInLowerCase,
  readSignature,
  type Refused,
  type Signed,
  type Stale,
  type Verified,
  verifyInTurns,
} from './signature.ts'
import {
  type DeliveryReading,
  type IngestReport,
  type IngestRules,
  type KeptFacts,
  type ReadableDelivery,
  readArrival,
} from './read-delivery.ts'
import type { Acceptance, NewDelivery, Accepted } from '../../store/inbox/accept.ts'
import type { StartedItem } from '../../store/work/items.ts'
import type { Lease } from '../../store/work/lanes.ts'

export interface ReceiverDeps {
  readonly store: Pick<Store, 'accept'>
  readonly ingest: IngestRules
  readonly reportItems: IngestReport
  readonly lanes: Pick<LaneRunner<ItemWork>, 'reserve'>
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
  readonly watcher?: Watcher | undefined
  /** True if deliveries come from an emulator on this machine. Then the bot adopts the emulator's clock. */
  readonly local: boolean
  /** True in development, where the log explains refusals. */
  readonly explains: boolean
  /** Asks the emulator for its clock offset in ms: the header with it is not signed. Undefined without an emulator. */
  emulatorOffset(): Promise<number | undefined>
}

/** What a lane of items runs. */
export interface ItemWork {
  readonly item: StartedItem
  /** The facts, if this process has read the delivery. */
  readonly facts?: KeptFacts | undefined
  /** How often the handlers ran again because another writer changed the session. */
  readonly reruns?: number
}

export interface ReceiveReport {
  /** `unknown_number`: no number has the name that the endpoint gave for the request. */
  refused(
    reason: Refused['reason'] | 'unknown_number',
    why: {
      readonly explanation: () => string | undefined
      readonly fault: string | undefined
      /** The signed material of a stale delivery. */
      readonly material?: SignedMaterial | undefined
    },
  ): void
  /** A request with the header of a signature, at a path that is not the bot's. */
  elsewhere(
    where: Pick<Elsewhere, 'path' | 'right'>,
    seen: {
      /** Undefined if the signature is wrong or stale, or could not be verified. */
      readonly material: SignedMaterial | undefined
      readonly status: number
    },
  ): void
  notPosted(): void
  /** The body of a request with a signature could not be read. It may come from the service or a stranger. */
  bodyProblem(problem: BodyProblem | 'encoded'): void
  /** `answeredWith`: the status of the app, if it answered first. */
  accepted(delivery: NewDelivery, acceptance: Acceptance, durationMs: number, answeredWith?: number): void
  /** @param material undefined if the signature could not be verified. */
  unavailable(error: unknown, material?: SignedMaterial): void
}

/** What the signature of a verified delivery covers. */
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
/** The longest body that is verified at a path that is not the bot's. */
const MOST_BYTES_ELSEWHERE = 65_536
/** The most bytes of all requests' bodies while they are read and stored, so that a stranger cannot fill the memory. */
const MOST_BODY_BYTES = 64 * 1_048_576
/** Assumption: the service waits for an answer at least a second longer than this. Its time-out is not specified. */
const STORING_MS = 4_000
/** How long `ready()` is false after a failure. It ends by time, because meanwhile balancers send no deliveries. */
const NOT_READY_MS = 10_000

/** @throws SwitchhookError `options_invalid` if a secret is empty or has blank ends. */
export async function createReceiver(o: ReceiverDeps): Promise<Receiver> {
  if (o.keys.all) await fetchSecrets(o.keys.all, o.log)
  return new DeliveryReceiver(o)
}

class DeliveryReceiver implements Receiver {
  readonly #o: ReceiverDeps
  readonly #names: DeliveryHeaders
  readonly #limits: Omit<BodyLimits, 'take'>
  readonly #bodies: ReturnType<typeof createBodyBudget>
  #notStoredAt: number | undefined
  #isStopping = false

  constructor(o: ReceiverDeps) {
    this.#o = o
    this.#names = namesInLowerCase(o.headerPrefix)
    this.#limits = { maxBytes: o.bodyLimit, deadlineMs: BODY_DEADLINE_MS, timers: o.timers }
    this.#bodies = createBodyBudget(Math.max(MOST_BODY_BYTES, 2 * o.bodyLimit))
  }

  receive(incoming: Incoming): Promise<Answer> {
    return watch(this.#o.watcher, ['receive', undefined], (watching) => this.#read(incoming, watching))
  }

  // Compare in both directions, because a clock that was set back must not prolong the failure.
  ready(): boolean {
    const { clock } = this.#o
    return this.#notStoredAt === undefined || Math.abs(clock.wall() - this.#notStoredAt) >= NOT_READY_MS
  }

  beginStop(): void {
    this.#isStopping = true
  }

  async #read(incoming: Incoming, watching: Watching<'receive'>): Promise<Answer> {
    const { clock, report } = this.#o
    // The time is read when the headers have arrived: a slow upload must not make a fresh delivery stale.
    const arrived = { at: clock.wall(), judgedAt: clock.machine(), beganAt: clock.monotonic() }
    const { headers } = incoming
    if (incoming.method !== 'POST') {
      report.notPosted()
      return ANSWERS.methodNotAllowed
    }
    const signed = readSignature(headers, this.#names)
    if ('reason' in signed) {
      this.#reportRefusal(signed.reason, { headers, body: NOTHING, keyring: NO_KEYS, now: arrived.judgedAt })
      return ANSWERS.unauthorized
    }
    if (isEncoded(headers)) {
      report.bodyProblem('encoded')
      return ANSWERS.unsupportedEncoding
    }
    const budget = this.#bodies.open()
    try {
      const body = await incoming.readBody({ ...this.#limits, take: budget.take })
      if ('bytes' in body) return await this.#verifyAndStore(incoming, { signed, bytes: body.bytes, watching }, arrived)
      report.bodyProblem(body.problem)
      return ANSWER_TO_BODY[body.problem]
    } finally {
      budget.close()
    }
  }

  /**
   * The path of a delivery: verify it, reserve room for its item, store it, answer, run its item. `#handle` in
   * `work/dispatcher.ts` runs the item and settles it. The commit of the settlement begins the lane's next item.
   *
   * After a crash the tables are enough:
   *
   * - Before the commit, nothing is stored and the service has no 200: it posts the delivery again.
   * - Between the commit and the answer, it posts again too, and the inbox finds a duplicate.
   * - While handlers run, the item is marked as running by this process, whose lease ends within 10 s. Then the next
   *   claim of another process, or the next start of this one, puts the item first in its lane again. Results of `once`
   *   are not computed again, and replies are found under their keys.
   * - During the last commit, the item is either settled with all its effects, or runs again.
   */
  async #verifyAndStore(
    { headers, number, answeredWith }: Incoming,
    { signed, bytes, watching }: Readonly<{ signed: Signed; bytes: Uint8Array; watching: Watching<'receive'> }>,
    { at, judgedAt, beganAt }: Readonly<Record<'at' | 'judgedAt' | 'beganAt', number>>,
  ): Promise<Answer> {
    const { clock, keys, report } = this.#o
    const until = clock.monotonic() + STORING_MS
    let material: SignedMaterial | undefined
    // Verify and parse all deliveries of one turn together: the code then stays in the processor's caches.
    await afterThisTurn()
    try {
      const verdict = await this.#verify({ headers, signed, body: bytes }, await keysFor(number, keys), judgedAt)
      const isKept = verdict.ok || ('timestamp' in verdict && this.#o.keepStale)
      if (!isKept) return ANSWERS.unauthorized
      const delivery = this.#describe(headers, bytes, { by: verdict, at, trace: watching.context })
      watching.reads(delivery)
      if (verdict.ok) material = { ...delivery, ageMs: ageOf(delivery, judgedAt) }

      const read = readArrival(delivery, this.#o.ingest)
      // Only a single item begins in the delivery's own commit. Several wait for a claim.
      const items = read?.ingested.items
      const room = await this.#o.lanes.reserve(items?.length === 1 ? items[0]?.number : undefined)

      const accepted = await this.#store(delivery, { read, begin: room.begin, until }).catch((error: unknown) => {
        room.cancel()
        throw error
      })
      const begun = accepted.started && {
        ...accepted.started,
        work: { item: accepted.started.work, facts: read?.facts[0] },
      }
      const reported = afterThisTurn().then(() => {
        const { ingested } = accepted
        if (read && ingested) this.#o.reportItems.ingested(delivery as ReadableDelivery, read, ingested)
      })
      // The work runs in a later turn. The answer is written in this one.
      room.run(begun, reported)

      if (!verdict.ok) return ANSWERS.unauthorized
      report.accepted(delivery, accepted.as, clock.monotonic() - beganAt, answeredWith?.())
      // A process that stops still stores deliveries, and makes clients open new connections to other processes.
      const answer = ANSWER_TO[accepted.as]
      return this.#isStopping ? { ...answer, headers: { ...answer.headers, connection: 'close' } } : answer
    } catch (error) {
      report.unavailable(error, material)
      return ANSWERS.unavailable
    }
  }

  /** `read`: undefined if the delivery is stored unread: see `readArrival`. */
  async #store(
    delivery: NewDelivery,
    o: { readonly read: DeliveryReading | undefined; readonly begin: Lease | undefined; readonly until: number },
  ): Promise<Accepted> {
    const { clock, local, store, watcher, emulatorOffset } = this.#o
    const { read, begin, until } = o
    const waitMs = () => until - clock.monotonic()
    if (local && delivery.clockOffset !== clock.offset) clock.adopt((await emulatorOffset()) ?? clock.offset)
    try {
      const accepted = read
        ? await watch(watcher, ['ingest', delivery], () =>
            store.accept(delivery, { waitMs: waitMs(), ingested: read.ingested, begin }).catch((error: unknown) => {
              // The items of the delivery cannot be stored, so store it unread.
              if (!(error instanceof Unstorable)) throw error
              return store.accept(delivery, { waitMs: waitMs() })
            }),
          )
        : await store.accept(delivery, { waitMs: waitMs() })
      this.#notStoredAt = undefined
      return accepted
    } catch (error) {
      this.#notStoredAt = clock.wall()
      throw error
    }
  }

  /** After a wrong signature the secrets are requested again. `own`: undefined for an unknown number. */
  async #verify(
    { headers, signed, body }: { headers: IncomingHeaders; signed: Signed; body: Uint8Array },
    own: KeySource | undefined,
    arrivedAt: number,
  ): Promise<Verified | Refused | Stale> {
    if (!own) {
      this.#o.report.refused('unknown_number', { explanation: () => undefined, fault: undefined })
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
    this.#reportRefusal(
      reason,
      { headers, body, keyring, now: arrivedAt },
      'timestamp' in verdict ? verdict : undefined,
    )
    return verdict
  }

  #reportRefusal(
    reason: Refused['reason'],
    refused: Omit<Parameters<typeof explain>[0], 'reason' | 'names'>,
    stale?: Stale,
  ): void {
    const { local, explains, report } = this.#o
    const fault = local ? armedFault(refused.headers) : undefined
    const explanation = () => (explains ? explain({ ...refused, names: this.#names, reason }) : undefined)
    const material = stale && { ...stale, digest: digestOf(refused.body), ageMs: ageOf(stale, refused.now) }
    report.refused(reason, { explanation, fault, material })
  }

  /** Unreadable headers do not refuse a verified delivery: it is quarantined under its signed material (SIG-09). */
  #describe(
    headers: IncomingHeaders,
    body: Uint8Array,
    { by, at, trace }: { readonly by: Verified | Stale; readonly at: number; readonly trace: string | undefined },
  ): NewDelivery {
    const { local, dispatchIdentical } = this.#o
    const event = readHeader(headers, this.#names.event, EVENT_NAME_FORM)
    const id = readHeader(headers, this.#names.delivery, DELIVERY_ID_FORM)
    const unclear = [
      event.problem && `the event's name is ${event.problem}`,
      id.problem && `the delivery id is ${id.problem}`,
    ].filter((problem) => problem !== undefined)
    return {
      subscription: by.subscription,
      deliveryId: id.value === undefined ? undefined : canonicalDeliveryId(id.value),
      event: event.value,
      timestamp: by.timestamp,
      digest: digestOf(body),
      body,
      receivedAt: at,
      // Only an emulator may move our clock.
      clockOffset: local ? clockOffset(headers) : 0,
      dispatchIdentical,
      trace,
      ...(!by.ok && { stale: true }),
      ...(unclear.length > 0 && { unclear: unclear.join(', ') }),
    }
  }

  async elsewhere(request: Elsewhere): Promise<void> {
    if (!lookUpHeader(request.headers, this.#names.signature)) return
    const material = await this.#genuineMaterial(request).catch(() => undefined)
    const status = request.answeredWith?.()
    // Without a status nothing is wrong: another mount of the bot answers the request.
    if (status !== undefined) this.#o.report.elsewhere(request, { material, status })
  }

  /** Verifies a request at a path that is not the bot's. A stale delivery may be a captured one, so it proves nothing. */
  async #genuineMaterial({ method, headers, number, readBody }: Elsewhere): Promise<SignedMaterial | undefined> {
    const { clock, keys, bodyLimit } = this.#o
    const judgedAt = clock.machine()
    const signed = readSignature(headers, this.#names)
    if (method !== 'POST' || 'reason' in signed) return undefined
    const budget = this.#bodies.open()
    try {
      // Begin both before the app gets the request, because the app changes the parameters and reads the body.
      const [own, body] = await Promise.all([
        keys.all ?? keysFor(number, keys).catch(() => undefined),
        readBody({ ...this.#limits, maxBytes: Math.min(bodyLimit, MOST_BYTES_ELSEWHERE), take: budget.take }),
      ])
      if (!own || !('bytes' in body)) return undefined
      const verdict = await verifyInTurns(signed, body.bytes, await own.live(), judgedAt)
      return verdict.ok ? { ...verdict, digest: digestOf(body.bytes), ageMs: ageOf(verdict, judgedAt) } : undefined
    } finally {
      budget.close()
    }
  }
}

function digestOf(body: Uint8Array): Uint8Array {
  // Through hex, because allocating bytes for each digest would cost more.
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
    // Show only the error's name, because the app's message may contain something private.
    const { name: kind } = readError(error)
    throw new NumberUnavailable(`the function number of webhook() failed: ${kind}`)
  }
  return typeof name === 'string' ? await keys.at(name) : undefined
}

/** A compressed body is refused: the signature covers the bytes on the wire, and a compression bomb stays harmless. */
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

/** The fault that the emulator simulates. Anybody can write this header, so only a name is accepted. */
function armedFault(headers: IncomingHeaders): string | undefined {
  const fault = String(lookUpHeader(headers, EMULATOR_FAULT.toLowerCase()) ?? '')
  return /^[a-z_]{1,40}$/.test(fault) ? fault : undefined
}

/** Reads the secrets at the start. A wrong secret fails the start; a function that cannot return yet does not. */
async function fetchSecrets(keys: KeySource, log: Log): Promise<void> {
  try {
    await keys.live()
  } catch (error) {
    if (isA(error, NumberUnavailable) && error.cause instanceof SwitchhookError) throw error.cause
    log.error({ err: error }, 'the signing secrets are not known yet. Until they are, deliveries are answered with 503')
  }
}

/**
 * Waits two turns, in which most bodies that have arrived are verified and given to the store. Does not wait for the
 * keys of a number, or behind many bodies.
 */
export async function receivedBodiesHandled(): Promise<void> {
  await afterThisTurn()
  await afterThisTurn()
}

/** The receiver of a process with the role 'work'. It answers 503, so that the service posts the delivery again. */
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
