import { afterThisTurn, type Clock, type Timers } from '../../base/clock.ts'
import { SwitchhookError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Tracer } from '../spans.ts'
import { deliveryHeaders, EMULATOR_CLOCK_OFFSET, EMULATOR_FAULT } from '../../service/contract.ts'
import type { Acceptance, NewDelivery } from '../../store/types/types.ts'
import { explain } from './explain.ts'
import { type Answer, ANSWERS, type Incoming, type IncomingHeaders, lookUpHeader } from './http.ts'
import { type Keyring, type KeysOfNumbers, type KeySource, SecretsUnknown } from './keys.ts'
import { createBodyBudget, receive, type ReceiveDeps, type ReceiveReport } from './receive.ts'
import {
  type HeaderNames,
  readSignature,
  type Refused,
  type Signed,
  type Stale,
  type Verified,
  verify,
} from './signature.ts'

export interface ReceiverDeps {
  /**
   * The dispatcher's. Resolves when the delivery is on disk. Rejects if another process blocks the database for
   * `waitMs`.
   */
  accept(delivery: NewDelivery, waitMs: number): Promise<Acceptance>
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  readonly report: ReceiveReport
  readonly keys: KeysOfNumbers
  readonly headerPrefix: string
  /** Bytes. */
  readonly bodyLimit: number
  readonly keepStale: boolean
  readonly dispatchIdentical: boolean
  readonly tracer?: Tracer | undefined
  /** The other side is an emulator on this machine, so its clock is followed, and the log explains refusals. */
  readonly local: boolean
  /** The API clock's offset in milliseconds; undefined if it is not an emulator. A delivery's header is not signed. */
  emulatorOffset(): Promise<number | undefined>
}

export interface Receiver {
  receive(incoming: Incoming): Promise<Answer>
  /** False for ten seconds after a delivery could not be stored, or until another one is stored. */
  ready(): boolean
  beginStop(): void
}

const BODY_DEADLINE_MS = 10_000
/** The bodies of all requests while they are read and stored, so that a stranger cannot fill the memory. */
const MOST_BODY_BYTES = 64 * 1_048_576
/** Assumption: the service waits for an answer at least a second longer than this. Its time-out is not specified. */
const STORING_MS = 4_000
/** How long a failure counts. A load balancer sends nothing to a process that is not ready, so only time can end it. */
const NOT_READY_MS = 10_000

/** @throws SwitchhookError `options_invalid` if a secret is empty or has blank ends. */
export async function createReceiver(o: ReceiverDeps): Promise<Receiver> {
  const { clock, timers, keys, report, keepStale, dispatchIdentical, local } = o
  if (keys.all) await fetchSecrets(keys.all, o.log)
  const names = headerNames(o.headerPrefix, local)
  let failedAt: number | undefined
  let stopping = false

  async function accept(delivery: NewDelivery, waitMs: number): Promise<Acceptance> {
    if (local && delivery.clockOffset !== clock.offset) clock.adopt((await o.emulatorOffset()) ?? clock.offset)
    try {
      const acceptance = await o.accept({ ...delivery, dispatchIdentical }, waitMs)
      failedAt = undefined
      return acceptance
    } catch (error) {
      failedAt = clock.wall()
      throw error
    }
  }

  const deps: ReceiveDeps = {
    clock,
    names,
    limits: { maxBytes: o.bodyLimit, deadlineMs: BODY_DEADLINE_MS, timers },
    bodies: createBodyBudget(Math.max(MOST_BODY_BYTES, 2 * o.bodyLimit)),
    storingMs: STORING_MS,
    readSignature(headers, arrivedAt) {
      const signed = readSignature(headers, names)
      if (!('reason' in signed)) return signed
      const { reason } = signed
      reportRefusal(
        reason,
        { headers, body: NOTHING, keyring: NO_KEYS, names, now: arrivedAt },
        { report, explains: local },
      )
      return undefined
    },
    async verify({ headers, number }, signed, body, arrivedAt) {
      const own = await keysFor(number, keys)
      if (own)
        return verifyWithRotation({ headers, signed, body }, arrivedAt, { keys: own, names, report, explains: local })
      report.refused('unknown_number', { explanation: undefined, fault: undefined })
      return { ok: false, reason: 'mismatch' }
    },
    accept,
    report,
    keepStale,
    stopping: () => stopping,
  }
  return {
    receive: (incoming) => (o.tracer ? receiveInSpan(incoming, deps, o.tracer) : receive(incoming, deps)),
    // In both directions, because a clock that was set back must not prolong it.
    ready: () => failedAt === undefined || Math.abs(clock.wall() - failedAt) >= NOT_READY_MS,
    beginStop() {
      stopping = true
    },
  }
}

/** The delivery stores the span's context, so that its attempts belong to it in any process. */
async function receiveInSpan(incoming: Incoming, deps: ReceiveDeps, tracer: Tracer): Promise<Answer> {
  const span = tracer.start('receive', {})
  const accept: ReceiveDeps['accept'] = (delivery, waitMs) => {
    const { event, deliveryId, subscription } = delivery
    span.add({ event, deliveryId, subscription })
    return deps.accept({ ...delivery, trace: span.context }, waitMs)
  }
  try {
    const answer = await span.within(() => receive(incoming, { ...deps, accept }))
    span.end({ status: answer.status })
    return answer
  } catch (error) {
    span.end({}, { name: 'Error', message: 'the body could not be read' })
    throw error
  }
}

const NOTHING = new Uint8Array()
const NO_KEYS: Keyring = { keys: [] }

async function keysFor(number: Incoming['number'], keys: KeysOfNumbers): Promise<KeySource | undefined> {
  if (!number && !keys.all)
    throw new SecretsUnknown('webhook() was mounted without the option number, which a source of numbers needs')
  if (!number) return keys.all
  let name: string | undefined
  try {
    name = await number()
  } catch (error) {
    // The message is the app's, and may contain something private.
    const kind = error instanceof Error ? error.name : typeof error
    throw new SecretsUnknown(`the function number of webhook() failed: ${kind}`)
  }
  return typeof name === 'string' ? await keys.at(name) : undefined
}

/**
 * Verifies with the valid keys. A wrong signature may mean a new secret, so the functions of secrets are called again.
 */
async function verifyWithRotation(
  { headers, signed, body }: { headers: IncomingHeaders; signed: Signed; body: Uint8Array },
  arrivedAt: number,
  o: { keys: KeySource; names: HeaderNames; report: ReceiveReport; explains: boolean },
): Promise<Verified | Refused | Stale> {
  const { keys, names } = o
  let keyring = await keys.live()
  let verdict = verify(signed, body, keyring, arrivedAt)
  if (!verdict.ok && verdict.reason === 'mismatch') {
    const renewed = await keys.renewed(arrivedAt)
    if (renewed) {
      keyring = renewed
      verdict = verify(signed, body, keyring, arrivedAt)
    }
  }
  if (verdict.ok) return verdict
  const { reason } = verdict
  if (reason === 'mismatch' && !keys.complete())
    throw new SecretsUnknown('the signing secrets of some number are not known yet, so this signature may be right')
  reportRefusal(reason, { headers, body, keyring, names, now: arrivedAt }, o)
  return verdict
}

function reportRefusal(
  reason: Refused['reason'],
  refused: Omit<Parameters<typeof explain>[0], 'reason'>,
  { report, explains }: { readonly report: ReceiveReport; readonly explains: boolean },
): void {
  const fault = explains ? armedFault(refused.headers) : undefined
  const explanation = explains && fault === undefined ? explain({ ...refused, reason }) : undefined
  report.refused(reason, { explanation, fault })
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
    if (error instanceof SecretsUnknown && error.cause instanceof SwitchhookError) throw error.cause
    log.error({ err: error }, 'the signing secrets are not known yet. Until they are, deliveries are answered with 503')
  }
}

function headerNames(prefix: string, local: boolean): HeaderNames {
  const { signature, timestamp, event, delivery } = deliveryHeaders(prefix)
  return {
    signature: signature.toLowerCase(),
    timestamp: timestamp.toLowerCase(),
    event: event.toLowerCase(),
    delivery: delivery.toLowerCase(),
    clockOffset: local ? EMULATOR_CLOCK_OFFSET.toLowerCase() : undefined,
  }
}

/**
 * Resolves when each delivery whose body has arrived is stored or refused. One whose keys are being looked up may take
 * longer.
 */
export async function receivedBodiesHandled(): Promise<void> {
  await afterThisTurn()
  // `receive` verifies it in that turn.
  await afterThisTurn()
}

/**
 * Replaces the receiver in a process that only works. The service repeats a delivery that was answered with 503, so a
 * wrong entry in a load balancer loses nothing at first.
 */
export function noReceiver(log: Log): Receiver {
  return {
    async receive() {
      log.error(
        {},
        "a delivery arrived at a process with the role 'work' and was answered with 503. Send deliveries to processes with the role 'receive' or 'both'",
      )
      return ANSWERS.unavailable
    },
    ready: () => true,
    beginStop() {},
  }
}
