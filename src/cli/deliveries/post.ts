import { realTimers } from '../../base/clock.ts'
import type { DeliveryRequest } from '../../emulator/deliver/delivery.ts'
import { post } from '../../emulator/deliver/post.ts'
import { OutOfReach } from '../exit.ts'
import type { Told } from './told.ts'

/** As long as an emulator waits. */
const PATIENCE_MS = 10_000

/** Posts a signed delivery, and tells what was answered, and how soon. @throws OutOfReach where nothing listens. */
export async function posted(request: DeliveryRequest): Promise<Pick<Told, 'status' | 'error' | 'ms'>> {
  const began = performance.now()
  const { signal } = new AbortController()
  const outcome = await post(request, { timers: realTimers, timeoutMs: PATIENCE_MS, signal })
  const ms = Math.round(performance.now() - began)
  if ('status' in outcome) return { status: outcome.status, ms }
  if (outcome.error === 'connection_refused')
    throw new OutOfReach(`nothing listens at ${request.url}: does the app run there?`, undefined)
  return { status: null, error: outcome.error, ms }
}
