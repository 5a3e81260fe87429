import { afterThisTurn, type Clock } from '../../base/clock.ts'
import { PART_BYTES } from '../../base/value.ts'
import type { Acceptance, NewDelivery } from '../../store/types/types.ts'
import {
  type Answer,
  ANSWER_TO,
  ANSWER_TO_BODY,
  ANSWERS,
  askingForNewConnection,
  type BodyLimits,
  type BodyProblem,
  type Incoming,
  type IncomingHeaders,
  lookUpHeader,
  singleHeader,
} from './http.ts'
import type { HeaderNames, Refused, Signed, Stale, Verified } from './signature.ts'
import { hash } from 'node:crypto'
import { canonicalDeliveryId, DELIVERY_ID_FORM, EVENT_NAME_FORM } from '../../service/contract.ts'

export interface ReceiveDeps {
  readonly clock: Clock
  readonly names: HeaderNames
  readonly limits: Omit<BodyLimits, 'take'>
  readonly bodies: BodyBudget
  /**
   * Undefined, and reported, if the headers lack a well-formed signature and timestamp, so that no key could be right.
   */
  readSignature(headers: IncomingHeaders, arrivedAt: number): Signed | undefined
  /**
   * Checks signature and timestamp with the valid secrets, at an endpoint only with its number's, and reports a
   * refusal.
   */
  verify(incoming: Incoming, signed: Signed, body: Uint8Array, arrivedAt: number): Promise<Verified | Refused | Stale>
  /** Milliseconds between a body's last byte and storing, if another process blocks the database. */
  readonly storingMs: number
  accept(delivery: NewDelivery, waitMs: number): Promise<Acceptance>
  readonly report: ReceiveReport
  /** Stores deliveries with a valid signature and an expired time. They are still refused. */
  readonly keepStale: boolean
  /** While a process is stopping, it still stores deliveries, and requests new connections from callers. */
  stopping(): boolean
}

export interface RefusalCause {
  readonly explanation: string | undefined
  readonly fault: string | undefined
}

/** Reports the outcome of each request. No answer reveals it. `unknown_number`: no number has the endpoint's name. */
export interface ReceiveReport {
  refused(reason: Refused['reason'] | 'unknown_number', why: RefusalCause): void
  /** The request has a signature that could not be verified, so it may come from the service or a stranger. */
  bodyProblem(problem: BodyProblem | 'encoded'): void
  accepted(delivery: NewDelivery, acceptance: Acceptance, durationMs: number): void
  unavailable(error: unknown): void
}

/**
 * Processes a delivery up to its answer: verify, store, answer. Handlers start after the answer and cannot change it:
 * `accept` in `work/dispatcher.ts` begins them a turn of the event loop later.
 */
export async function receive(incoming: Incoming, deps: ReceiveDeps): Promise<Answer> {
  // The time is read when the headers have arrived: a slow upload must not make a fresh delivery stale.
  const [arrivedAt, judgedAt] = [deps.clock.wall(), deps.clock.machine()]
  const beganAt = deps.clock.monotonic()
  if (incoming.method !== 'POST') return ANSWERS.methodNotAllowed
  const signed = deps.readSignature(incoming.headers, judgedAt)
  if (!signed) return ANSWERS.unauthorized
  if (isEncoded(incoming.headers)) {
    deps.report.bodyProblem('encoded')
    return ANSWERS.unsupportedEncoding
  }
  const budget = deps.bodies.open()
  try {
    const body = await incoming.readBody({ ...deps.limits, take: budget.take })
    if ('bytes' in body)
      return await judge(incoming, { signed, bytes: body.bytes }, deps, { arrivedAt, judgedAt, beganAt })
    deps.report.bodyProblem(body.problem)
    return ANSWER_TO_BODY[body.problem]
  } finally {
    budget.close()
  }
}

async function judge(
  incoming: Incoming,
  { signed, bytes }: { readonly signed: Signed; readonly bytes: Uint8Array },
  deps: ReceiveDeps,
  { arrivedAt, judgedAt, beganAt }: Readonly<Record<'arrivedAt' | 'judgedAt' | 'beganAt', number>>,
): Promise<Answer> {
  const completeAt = deps.clock.monotonic()
  const waitMs = () => completeAt + deps.storingMs - deps.clock.monotonic()
  // Deliveries of one turn are verified and parsed together, because alternating with HTTP would evict the processor's
  // caches.
  await afterThisTurn()
  try {
    const verdict = await deps.verify(incoming, signed, bytes, judgedAt)
    const describe = (by: Verified | Stale) => toDelivery(incoming.headers, bytes, by, arrivedAt, deps.names)
    if (!verdict.ok) {
      if ('timestamp' in verdict && deps.keepStale) await deps.accept({ ...describe(verdict), stale: true }, waitMs())
      return ANSWERS.unauthorized
    }
    const delivery = describe(verdict)
    const acceptance = await deps.accept(delivery, waitMs())
    deps.report.accepted(delivery, acceptance, deps.clock.monotonic() - beganAt)
    return deps.stopping() ? askingForNewConnection(ANSWER_TO[acceptance]) : ANSWER_TO[acceptance]
  } catch (error) {
    deps.report.unavailable(error)
    return ANSWERS.unavailable
  }
}

/** The bytes of bodies that one process holds for all requests. */
export interface BodyBudget {
  /** Counts the bytes of one request until it is closed. */
  open(): { readonly take: BodyLimits['take']; close(): void }
}

export function createBodyBudget(most: number): BodyBudget {
  let used = 0
  return {
    open() {
      let own = 0
      let closed = false
      return {
        take(bytes) {
          // After the answer, for example after a time-out, bytes may still arrive. Nobody would release their share.
          const taken = bytes + PART_BYTES
          if (closed || used + taken > most) return false
          used += taken
          own += taken
          return true
        },
        close() {
          used -= own
          closed = true
        },
      }
    },
  }
}

/** Nothing is ever inflated: the signature covers the bytes on the wire, and a compression bomb stays compressed. */
function isEncoded(headers: IncomingHeaders): boolean {
  const encoding = String(lookUpHeader(headers, 'content-encoding') ?? '')
  return encoding !== '' && encoding.toLowerCase() !== 'identity'
}

/**
 * Makes the row of a verified delivery. Unreadable headers do not refuse it: it is stored as quarantined, under its
 * signed material (SIG-09).
 */
function toDelivery(
  headers: IncomingHeaders,
  body: Uint8Array,
  verified: Verified | Stale,
  receivedAt: number,
  names: HeaderNames,
): NewDelivery {
  const event = readHeader(headers, names.event, EVENT_NAME_FORM)
  const id = readHeader(headers, names.delivery, DELIVERY_ID_FORM)
  const unclear = [
    event.problem && `the event's name is ${event.problem}`,
    id.problem && `the delivery id is ${id.problem}`,
  ].filter((problem) => problem !== undefined)
  return {
    subscription: verified.subscription,
    deliveryId: id.value === undefined ? undefined : canonicalDeliveryId(id.value),
    event: event.value,
    timestamp: verified.timestamp,
    // Through hex, as in `macOf`.
    digest: Buffer.from(hash('sha256', body), 'hex'),
    body,
    receivedAt,
    clockOffset: clockOffset(headers, names.clockOffset),
    ...(unclear.length > 0 && { unclear: unclear.join(', ') }),
  }
}

function readHeader(headers: IncomingHeaders, name: string, form: RegExp): { value?: string; problem?: string } {
  const header = singleHeader(headers, name)
  if ('problem' in header) return header
  return form.test(header.value) ? header : { problem: 'malformed' }
}

const OFFSET_FORM = /^-?[0-9]{1,14}$/

/**
 * Milliseconds. A malformed offset does not come from an emulator, and must not keep the delivery from being stored.
 */
function clockOffset(headers: IncomingHeaders, name: string | undefined): number {
  if (name === undefined) return 0
  const header = singleHeader(headers, name)
  return 'value' in header && OFFSET_FORM.test(header.value) ? Number(header.value) || 0 : 0
}
