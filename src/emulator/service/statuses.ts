import { shapeFor } from '../events/shapes.ts'
import { STATUS_SHAPES } from '../events/status.ts'
import type { Outbound } from '../phone/thread.ts'
import type { State } from '../state.ts'

type Step = 'sent' | 'delivered'

/** Tells the app how an accepted message fares: a `message.status` for each step, later (SEND-24). */
export function reportProgress(state: State, outbound: Outbound): void {
  const { sent, delivered } = state.assumptions.statusAfterMs
  state.schedule.after(sent, () => advanceTo('sent', state, outbound))
  state.schedule.after(delivered, () => advanceTo('delivered', state, outbound))
}

/** A status in the case that is due: the service's material shows both (SEND-17). */
export function inCase(state: Pick<State, 'assumptions' | 'turn'>, status: string): string {
  const { statusCase } = state.assumptions
  const upper = statusCase === 'mixed' ? state.turn.case++ % 2 === 0 : statusCase === 'upper'
  return upper ? status.toUpperCase() : status
}

function advanceTo(step: Step, state: State, { customer, message, shown }: Outbound): void {
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
  }
  const shape = shapeFor(STATUS_SHAPES, state.turn.status++, state.assumptions.payloadShape)
  const payload = shape(change, { eventId: state.ids.event(), number: state.number, now })
  state.deliverer.deliver({ name: 'message.status', customer, body: Buffer.from(JSON.stringify(payload)) })
}
