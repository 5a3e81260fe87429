import { SwitchhookError } from '../base/errors.ts'
import { recipient } from '../content/index.ts'

/** Who may be sent to. */
export interface Recipients {
  /**
   * The digits of somebody who may be sent to.
   *
   * @throws SwitchhookError `content_invalid` for what is no phone number, `recipient_not_allowed`.
   */
  allowed(to: string): string
}

/** `only`: the digits that may be sent to; undefined allows all. */
export function createRecipients(only: ReadonlySet<string> | undefined): Recipients {
  return {
    allowed(to) {
      const digits = recipient(to)
      if (only && !only.has(digits))
        throw new SwitchhookError(
          'recipient_not_allowed',
          'this recipient is not in the list of allowed recipients: add it to allowedRecipients or SWITCHHOOK_ALLOWED_RECIPIENTS',
        )
      return digits
    },
  }
}
