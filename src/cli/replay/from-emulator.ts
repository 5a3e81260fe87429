import type { EventView } from '../../emulator/control/events.ts'
import type { DeliveryView } from '../../emulator/deliver/delivery.ts'
import type { Control } from '../control.ts'
import { isSuccess } from '../success.ts'
import type { Original } from './original.ts'

/** The deliveries of an emulator that are meant. @throws Error where there is none of that id, or none at all. */
export async function fromEmulator(emulator: Control, which: string): Promise<readonly Original[]> {
  const { items } = await emulator.get<{ items: readonly DeliveryView[] }>('deliveries')
  const found = chosen(items, which)
  if (found.length === 0) return []
  const events = await emulator.get<{ items: readonly EventView[] }>('events')
  return found.map(({ id, event, eventId, attempts }) => {
    const request = attempts.at(-1)?.request
    // The event's own bytes: an attempt may have been tampered with.
    const payload = events.items.find((one) => one.id === eventId)?.payload ?? request?.body ?? ''
    return { id, event, body: Buffer.from(payload), request }
  })
}

function chosen(items: readonly DeliveryView[], which: string): readonly DeliveryView[] {
  if (which === 'failed') return items.filter(isFailed)
  const found = which === 'last' ? items.at(-1) : items.find(({ id }) => id === which.toUpperCase())
  if (found !== undefined) return [found]
  throw new Error(
    which === 'last'
      ? 'nothing was delivered yet: `switchhook trigger` lets something happen'
      : `the emulator knows no delivery ${JSON.stringify(which)}; \`last\` is the latest`,
  )
}

/** One that was not taken, whether or not it is tried again. */
function isFailed({ attempts, state }: DeliveryView): boolean {
  return (
    state !== 'delivered' &&
    (state === 'failed' || attempts.length > 0) &&
    !attempts.some(({ status }) => isSuccess(status))
  )
}
