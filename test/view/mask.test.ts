import { describe, expect, it } from 'vitest'
import { maskReason } from '../../src/view/mask.ts'
import { takenOverIn } from '../../src/features/people/store/taken-over.ts'
import { unwantedMarketing } from '../../src/store/outbox/send-rules.ts'

const SECRET = 'Zuhura owes 12,000, call +255 719 876 543'
const LENGTH = `[${SECRET.length} characters]`

/** Each reason that the rules of the store give a send that is skipped or refused at once. */
const TAKEN = (['agent', 'person'] as const).map(
  (by) => takenOverIn({ taken_by: by, taken_since: 0, taken_until: 1, taken_cause: null })?.why,
)
const OPTED_OUT = unwantedMarketing({ optedOut: true, silence: undefined }, 0)

describe('the reason why a send failed', () => {
  it.each([
    [
      `POST /messages was refused: 422 validation_error: ${SECRET}`,
      `POST /messages was refused: 422 validation_error: ${LENGTH}`,
    ],
    [`POST /messages was refused: 502: ${SECRET}`, `POST /messages was refused: 502: ${LENGTH}`],
    [`131026: ${SECRET}`, `131026: ${LENGTH}`],
    [`TypeError: ${SECRET}`, `TypeError: ${LENGTH}`],
    [SECRET, LENGTH],
  ])('shows only the kind of %s', (reason, shown) => {
    expect(maskReason(reason)).toBe(shown)
  })

  it.each([
    'POST /messages had no answer within 30000 ms; the message may have been accepted: repeat the identical request under the identical key to find out',
    'it would have come too late to be of use, so it was not sent',
    ...[...TAKEN, OPTED_OUT].map((skipped) => skipped?.reason ?? ''),
    "the customer's 24-hour window is closed, and there is no template for it: pass one as outsideWindow",
  ])('is unchanged if only the library writes it: %s', (reason) => {
    expect(maskReason(reason)).toBe(reason)
  })
})
