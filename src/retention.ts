import { type Duration, toMs } from './base/duration.ts'
import { SwitchhookError } from './base/errors.ts'

/** Milliseconds, counted from the settlement. */
export interface Retention {
  readonly bytesMs: number
  readonly idsMs: number
}

/** Twice the 300 s by which a timestamp may be off: what is forgotten later than that, a replay is too old for. */
const IDS_AT_LEAST = '10m'

/**
 * Completes the option.
 *
 * @throws SwitchhookError `options_invalid` where ids would be forgotten before the bytes, or while a replay of the
 * delivery still passes.
 */
export function retentionOf(given: { bytes?: Duration; ids?: Duration } = {}): Retention {
  const bytesMs = toMs(given.bytes ?? '7d', 'retention.bytes')
  const idsMs = toMs(given.ids ?? '30d', 'retention.ids')
  if (idsMs < toMs(IDS_AT_LEAST)) throw refused(`at least ${IDS_AT_LEAST}, since a delivery of that age may come again`)
  if (idsMs < bytesMs) throw refused('no less than retention.bytes, since a delivery has both or ids alone')
  return { bytesMs, idsMs }
}

function refused(expected: string): SwitchhookError {
  return new SwitchhookError('options_invalid', `retention.ids: expected ${expected}`)
}
