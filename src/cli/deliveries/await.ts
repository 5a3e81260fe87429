import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryView } from '../../emulator/deliver/delivery.ts'
import type { Control } from '../control.ts'
import type { Told } from './told.ts'

/** One attempt may take 10 s; what is held longer is held by a fault. */
const PATIENCE_MS = 12_000
const LOOK_EVERY_MS = 40

/** What became of these deliveries of the emulator: of each its first attempt, once it has ended. */
export async function firstAttempts(emulator: Control, ids: readonly string[]): Promise<Told[]> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const { items } = await emulator.get<{ items: readonly DeliveryView[] }>('deliveries')
    const mine = items.filter(({ id }) => ids.includes(id))
    if (mine.every(({ attempts, state }) => attempts.length > 0 || state !== 'pending') || performance.now() > until)
      return mine.map(toldOf)
    await sleep(LOOK_EVERY_MS)
  }
}

function toldOf({ id, event, attempts: [first] }: DeliveryView): Told {
  if (first === undefined) return { event, id, status: null, error: 'not_yet' }
  const { status, error, tookMs, request } = first
  return { event, id, url: request.url, status, ...(error !== undefined && { error }), ms: tookMs }
}
