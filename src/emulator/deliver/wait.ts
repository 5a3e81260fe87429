import type { Timers } from '../../base/clock.ts'
import type { Deliverer } from './deliverer.ts'
import { type Delivery, type DeliveryView, deliveryView } from './delivery.ts'

/**
 * Waits for the first delivery for which `where` is true, now or as soon as one is. Rejects with a `TimeoutError` after
 * `ms` milliseconds, or if the emulator is closed or reset meanwhile.
 */
export function waitForDelivery(
  deliverer: Deliverer,
  timers: Timers,
  where: (delivery: DeliveryView) => boolean,
  ms: number,
): Promise<DeliveryView> {
  return new Promise((resolve, reject) => {
    const undo: (() => void)[] = []
    const finish = (settle: () => void) => {
      for (const each of undo) each()
      settle()
    }
    const look = (delivery: Delivery): boolean => {
      const view = deliveryView(delivery)
      const fits = where(view)
      if (fits) finish(() => resolve(view))
      return fits
    }
    const lookSafely = (delivery: Delivery) => {
      try {
        look(delivery)
      } catch (error) {
        finish(() => reject(error))
      }
    }
    if (deliverer.list().some(look)) return
    const closed = () =>
      finish(() => reject(new Error('The emulator was closed or reset during a wait for a delivery.')))
    deliverer.closing.addEventListener('abort', closed)
    undo.push(
      deliverer.watch(lookSafely),
      timers.after(ms, () => finish(() => reject(timeout(deliverer, ms)))),
      () => deliverer.closing.removeEventListener('abort', closed),
    )
  })
}

function timeout(deliverer: Deliverer, ms: number): Error {
  const seen = deliverer.list().map(({ event, state, attempts }) => `${event} (${state}, attempts: ${attempts.length})`)
  const error = new Error(
    `No delivery fitted within ${ms} ms. There are ${seen.length}${seen.length > 0 ? `: ${seen.slice(-10).join(', ')}` : ''}.`,
  )
  error.name = 'TimeoutError'
  return error
}
