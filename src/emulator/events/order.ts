import { z } from 'zod'
import type { ConnectedNumber } from '../service/account.ts'
import type { State } from '../state.ts'
import { iso } from './event.ts'
import { publishDeclared } from './publish.ts'

export const orderSchema = z.strictObject({
  amount: z
    .string()
    .regex(/^\d+(\.\d{1,3})?$/, 'must be an amount such as 12500.00')
    .default('12500.00'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a currency such as TZS')
    .default('TZS'),
  /** The id of the connected number; default: the first. */
  number: z.string().optional(),
})

export type PaidOrder = { readonly orderId: string; readonly deliveryIds: string[] }

/** `order.paid`: a customer pays an order; nothing is captured under the callback override (DEL-10). */
export function payOrder(
  state: State,
  number: ConnectedNumber,
  customer: string,
  { amount, currency }: z.output<typeof orderSchema>,
): PaidOrder {
  const orderId = state.ids.order()
  const deliveryIds = publishDeclared(
    state,
    { name: 'order.paid', customer, number },
    {
      order_id: orderId,
      customer_phone: customer,
      amount,
      currency,
      paid_at: iso(state.clock.now()),
      occurred_at: iso(state.clock.now()),
    },
  )
  return { orderId, deliveryIds }
}
