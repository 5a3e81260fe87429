import type { AttemptView } from '../../emulator/deliver/delivery.ts'
import type { Control } from '../control.ts'
import type { Told } from '../deliveries/told.ts'
import { type How, isStale, type Original, timestampIn } from './original.ts'

/** Once more by the emulator, to where it went. */
export async function again(emulator: Control, { id, event }: Original, how: How): Promise<Told> {
  const { exact, tamper, offset } = how
  const { attempt } = await emulator.change<{ attempt: AttemptView }>('POST', `deliveries/${id}/redeliver`, {
    ...(exact && { exact }),
    ...(tamper !== undefined && { tamper }),
    ...(offset !== undefined && { timestampOffset: offset }),
  })
  const { status, error, tookMs } = attempt
  const mustBeRefused = tamper !== undefined || isStale(timestampIn(attempt.request.headers))
  return {
    event,
    id,
    url: attempt.request.url,
    status,
    ...(error !== undefined && { error }),
    ms: tookMs,
    mustBeRefused,
  }
}
