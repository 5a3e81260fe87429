import { shapeFor } from '../events/shapes.ts'
import { STATUS_SHAPES } from '../events/status.ts'
import { type Fate, MAGIC_RECIPIENTS } from '../faults/magic.ts'
import type { Outbound } from '../phone/thread.ts'
import type { State } from '../state.ts'

type Step = 'sent' | 'delivered' | 'failed'

/** Tells the app how an accepted message fares: a `message.status` for each step, later (SEND-24). */
export function reportProgress(state: State, outbound: Outbound, codeLifeMs: number | undefined): void {
  const { sent, delivered } = state.assumptions.statusAfterMs
  const fate = fateOf(outbound)
  state.schedule.after(sent, () => advanceTo('sent', state, outbound))
  if (fate !== 'undelivered') state.schedule.after(delivered, () => advanceTo(fate, state, outbound))
  // No attempt to bring a code to the handset outlives the code (OTP-09).
  else if (codeLifeMs !== undefined) state.schedule.after(codeLifeMs, () => advanceTo('failed', state, outbound))
}

/** Whether it will stand on the handset. */
export function arrives(outbound: Pick<Outbound, 'customer'>): boolean {
  return fateOf(outbound) === 'delivered'
}

function fateOf({ customer }: Pick<Outbound, 'customer'>): Fate {
  return MAGIC_RECIPIENTS.get(customer)?.fate ?? 'delivered'
}

/** A status in the case that is due: the service's material shows both (SEND-17). */
export function inCase(state: Pick<State, 'assumptions' | 'turn'>, status: string): string {
  const { statusCase } = state.assumptions
  const upper = statusCase === 'mixed' ? state.turn.case++ % 2 === 0 : statusCase === 'upper'
  return upper ? status.toUpperCase() : status
}

function advanceTo(step: Step, state: State, { number, customer, message, shown }: Outbound): void {
  const now = state.clock.now()
  const createdAt = Date.parse(message.created_at)
  shown.status = step
  const change = {
    messageId: message.id,
    upstreamId: message.wa_message_id ?? '',
    customer,
    messageType: message.message_type,
    status: inCase(state, step),
    // It was sent when the upstream platform took it, which the answer to the send said already.
    at: step === 'sent' ? createdAt : now,
    createdAt,
    ...(step === 'failed' && { failureReason: 'The handset could not be reached.' }),
  }
  const shape = shapeFor(STATUS_SHAPES, state.turn.status++, state.assumptions.payloadShape)
  const payload = shape(change, { eventId: state.ids.event(), number, now })
  state.deliverer.deliver({ name: 'message.status', customer, body: Buffer.from(JSON.stringify(payload)) })
}
