import { type ErrorCode, SwitchhookError } from '../../base/errors.ts'

/** Another attempt would bring the same. */
export const refused = (why: string): SwitchhookError => problem('media_refused', why)

/** Another attempt may bring it. */
export const unavailable = (why: string, cause?: unknown): SwitchhookError => problem('media_unavailable', why, cause)

/** Never with the address itself: what stands behind its host may be a secret. */
function problem(code: ErrorCode, why: string, cause?: unknown): SwitchhookError {
  return new SwitchhookError(code, `media: ${why}`, { cause })
}
