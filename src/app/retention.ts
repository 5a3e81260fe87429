import { type Duration, toMs } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import { checkIdsAge } from '../maintenance/index.ts'

/** Milliseconds, counted from the settlement. */
export interface Retention {
  readonly bytesMs: number
  readonly idsMs: number
}

/**
 * Completes the option.
 *
 * @throws SwitchhookError `options_invalid` where ids would be forgotten before the bytes, or while a replay of the
 * delivery still passes.
 */
export function retentionOf(given: { bytes?: Duration; ids?: Duration } = {}): Retention {
  const bytesMs = toMs(given.bytes ?? '7d', 'retention.bytes')
  const idsMs = toMs(given.ids ?? '30d', 'retention.ids')
  checkIdsAge(idsMs, 'retention.ids')
  if (idsMs < bytesMs)
    throw new SwitchhookError(
      'options_invalid',
      'retention.ids: expected no less than retention.bytes, since a delivery has both or ids alone',
    )
  return { bytesMs, idsMs }
}
