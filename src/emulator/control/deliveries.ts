import { z } from 'zod'
import type { Duration } from '../../base/duration.ts'
import { type AttemptView, attemptView, type Delivery, type DeliveryView, deliveryView } from '../deliver/delivery.ts'
import { signaturesOf, type SignatureView } from '../deliver/signed-request.ts'
import { refuse } from '../http/messages.ts'
import type { State } from '../world.ts'
import { A_SPAN, spanMs } from '../model/clock.ts'
import { invalid } from './request.ts'

/** Characters that a header can carry. */
const headerValue = z.string().regex(/^[\x20-\x7e\xa0-\xff]*$/, 'must be what a header can carry')

export const redeliverySchema = z
  .strictObject({
    exact: z.boolean().optional(),
    tamper: z.enum(['signature', 'body', 'timestamp']).optional(),
    timestampOffset: z.string().optional(),
    deliveryId: headerValue.optional(),
    event: headerValue.optional(),
  })
  .refine((how) => !(how.exact && how.timestampOffset !== undefined), 'timestampOffset goes without exact')

export function listDeliveries(state: State): { items: readonly DeliveryView[] } {
  return { items: state.deliverer.list().map(deliveryView) }
}

export function showDelivery(state: State, id: string): DeliveryView & { signatures: SignatureView[] } {
  const delivery = findDelivery(state, id)
  return { ...deliveryView(delivery), signatures: signaturesOf(delivery, state.deliverer.headerNames) }
}

function findDelivery(state: State, id: string): Delivery {
  const delivery = state.deliverer.byId(id)
  if (delivery === undefined)
    throw refuse(
      404,
      'not_found',
      `There is no delivery ${id}: the latest are kept, until a reset or the end of the run.`,
    )
  return delivery
}

export type Redelivered = { readonly id: string; readonly status: number | null; readonly attempt: AttemptView }

/** Makes one more attempt, and answers when it has ended. */
export async function redeliver(
  state: State,
  { timestampOffset, ...how }: z.output<typeof redeliverySchema>,
  id: string,
): Promise<Redelivered> {
  const delivery = findDelivery(state, id)
  if (how.exact && delivery.lastSigned === undefined)
    throw refuse(409, 'no_attempt_yet', 'An exact redelivery repeats an earlier attempt, and there was none yet.')
  const timestampOffsetMs = timestampOffset === undefined ? undefined : signedMs(timestampOffset)
  const attempt = attemptView(await state.deliverer.redeliver(delivery, { ...how, timestampOffsetMs }))
  return { id, status: attempt.status, attempt }
}

/** Milliseconds of a span with a sign: `'-301s'`, `'+5m'`. */
function signedMs(span: string): number {
  const [, sign, size] = /^([+-]?)(.+)$/.exec(span) ?? []
  if (size === undefined) throw invalid('timestampOffset: expected a span such as -301s')
  const ms = spanMs(size as Duration)
  if (ms === undefined) throw invalid(`timestampOffset: must be ${A_SPAN}, with or without a sign`)
  return ms * (sign === '-' ? -1 : 1)
}
