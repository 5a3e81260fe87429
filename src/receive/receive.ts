import type { Clock } from '../base/clock.ts'
import type { Acceptance, NewDelivery } from '../stores/port/index.ts'
import { type Answer, ANSWER_TO, ANSWER_TO_BODY, ANSWERS } from './answers.ts'
import type { Body, BodyLimits } from './body.ts'
import { toDelivery, type DescribingHeaderNames } from './to-delivery.ts'
import { type IncomingHeaders, lookUp } from './headers.ts'
import { verifyWithRotation, type VerifyDeps } from './verify-with-rotation.ts'
import { bearsSignature, type Refused } from './verify.ts'

/** One HTTP request at the mount path, as an adapter hands it over. */
export interface Incoming {
  readonly method: string
  readonly headers: IncomingHeaders
  readBody(limits: BodyLimits): Promise<Body>
}

/** What the receiver stands on. */
export interface Receiver extends VerifyDeps {
  readonly clock: Clock
  readonly names: VerifyDeps['names'] & DescribingHeaderNames
  readonly limits: BodyLimits
  accept(delivery: NewDelivery): Promise<Acceptance>
  readonly report: ReceiveReport
  /** Keeps deliveries whose signature holds and whose time does not; they are refused all the same. */
  readonly keepStale: boolean
  /** While it stops a process goes on storing, and asks callers for a new connection. */
  stopping(): boolean
}

/** Hears what became of each request. The reasons stay here: no answer tells them. */
export interface ReceiveReport {
  refused(reason: Refused['reason'], explanation: string | undefined): void
  /** `signed`: whether the request bears a signature; one that does not is not the service's. */
  bodyProblem(problem: Extract<Body, { problem: unknown }>['problem'] | 'encoded', signed: boolean): void
  accepted(delivery: NewDelivery, acceptance: Acceptance): void
  unavailable(error: unknown): void
}

/** The way of a delivery to its answer. Handling has not begun when it returns, and can change nothing of it. */
export async function receive(incoming: Incoming, receiver: Receiver): Promise<Answer> {
  // The time is judged when the headers are in: a slow upload must not make a fresh delivery stale.
  const arrivedAt = receiver.clock.wall()
  if (incoming.method !== 'POST') return ANSWERS.methodNotAllowed
  const untaken = (problem: Parameters<ReceiveReport['bodyProblem']>[0]) =>
    receiver.report.bodyProblem(problem, bearsSignature(incoming.headers, receiver.names))
  if (isEncoded(incoming.headers)) {
    untaken('encoded')
    return ANSWERS.unsupportedEncoding
  }

  const body = await incoming.readBody(receiver.limits)
  if ('problem' in body) {
    untaken(body.problem)
    return ANSWER_TO_BODY[body.problem]
  }

  try {
    const verdict = await verifyWithRotation(incoming.headers, body.bytes, arrivedAt, receiver)
    if (!verdict.ok) {
      if ('timestamp' in verdict && receiver.keepStale)
        await receiver.accept({
          ...toDelivery(incoming.headers, body.bytes, verdict, arrivedAt, receiver.names),
          stale: true,
        })
      return ANSWERS.unauthorized
    }
    const delivery = toDelivery(incoming.headers, body.bytes, verdict, arrivedAt, receiver.names)
    const acceptance = await receiver.accept(delivery)
    receiver.report.accepted(delivery, acceptance)
    return receiver.stopping() ? closing(ANSWER_TO[acceptance]) : ANSWER_TO[acceptance]
  } catch (error) {
    receiver.report.unavailable(error)
    return ANSWERS.unavailable
  }
}

/** Nothing is ever inflated: the signature is over the bytes on the wire, and a bomb stays packed. */
function isEncoded(headers: IncomingHeaders): boolean {
  const encoding = String(lookUp(headers, 'content-encoding') ?? '')
  return encoding !== '' && encoding.toLowerCase() !== 'identity'
}

function closing(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, connection: 'close' } }
}
