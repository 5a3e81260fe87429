import { SwitchhookError } from '../base/errors.ts'
import { sendSchema, type SendRequest } from '../contract/index.ts'

/** A body with members that no builder knows; those that one knows are its own to set. */
export function withExtra(send: SendRequest, extra: Readonly<Record<string, unknown>> | undefined): SendRequest {
  const known = Object.keys(extra ?? {}).find((name) => Object.hasOwn(sendSchema.shape, name))
  if (known !== undefined)
    throw new SwitchhookError(
      'options_invalid',
      `extra.${known}: expected members that the builders do not know: ${known} is set by the content`,
    )
  return extra === undefined ? send : { ...send, ...extra }
}
